package dev.reservoir.remote.adapter;

import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.ServerDefinition;
import dev.reservoir.remote.model.UserMapping;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;

/**
 * Everything that the registry must know about one kind of database. Found by {@link java.util.ServiceLoader}, so an
 * implementation has a public constructor without parameters. Holds no connection and no secret. Safe for use by
 * several threads.
 *
 * <p>{@link #connect} blocks. No other method does input or output, except that {@link #driver} may load a class.
 */
public interface DatabaseAdapter {
    /** The type that it serves, in lower case, such as {@code postgresql}. The wrapper has the suffix {@code _fdw}. */
    String name();

    /** The port of a server whose definition names none. */
    int defaultPort();

    /** The query of a health check, unless the definition names another. */
    String healthQuery();

    /** The operations that the database and at least one of its drivers offer. */
    Set<Capability> capabilities();

    /**
     * The driver for this server. It is the one that the option {@code driver} names, or the first that is on the class
     * path.
     *
     * @throws RemoteException RD001 if there is no driver, with the Maven artifact to add; RD032 if the option names an
     *     unknown driver
     */
    DriverInfo driver(ServerDefinition server) throws RemoteException;

    /**
     * The URL and the properties for a connect.
     *
     * @throws RemoteException RD032 if the driver does not support an option; names option, value and driver
     */
    ConnectPlan plan(ServerDefinition server, UserMapping mapping) throws RemoteException;

    /**
     * Opens a connection. Blocks until it is open, or until the timeout.
     *
     * @param timeout more than zero
     */
    AdapterSession connect(ServerDefinition server, UserMapping mapping, Duration timeout) throws RemoteException;

    /**
     * Does the same, and tells an observer what the session does. An adapter that does not override this tells the
     * observer nothing about statements, and that the bytes of the connection are not counted.
     */
    default AdapterSession connect(
            ServerDefinition server, UserMapping mapping, Duration timeout, SessionObserver observer)
            throws RemoteException {
        AdapterSession session = connect(server, mapping, timeout);
        observer.openedUncounted();
        return session;
    }

    /** Says what an error of the driver means. */
    RemoteFailure classify(SQLException error);
}
