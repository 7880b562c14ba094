package dev.reservoir.remote.sql;

import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.ServerDefinition;
import dev.reservoir.remote.model.UserMapping;

/** Says no to a server or a mapping before it enters the {@link Catalog}, for example because of its driver. */
public interface CatalogCheck {
    /** Accepts everything. */
    CatalogCheck NONE = new CatalogCheck() {};

    /** Throws to refuse a new or altered server. Does not block. */
    default void check(ServerDefinition server) throws RemoteException {}

    /** Throws to refuse a new or altered mapping. Does not block. */
    default void check(ServerDefinition server, UserMapping mapping) throws RemoteException {}
}
