package dev.reservoir.remote.adapter;

import dev.reservoir.remote.model.RemoteException;
import org.jspecify.annotations.Nullable;

/** A prepared statement. For use by one thread. A reset of the session closes it. */
public interface RemoteStatement extends AutoCloseable {
    /** Executes a query and reads all rows, as {@link AdapterSession#query} does. Blocks. */
    QueryResult query(@Nullable Object... parameters) throws RemoteException;

    /** Executes a statement without a result. Returns the number of changed rows. Blocks. */
    long update(@Nullable Object... parameters) throws RemoteException;

    @Override
    void close() throws RemoteException;
}
