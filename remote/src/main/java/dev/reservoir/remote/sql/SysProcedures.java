package dev.reservoir.remote.sql;

import java.sql.SQLException;

/** The operations on pools that {@code CALL sys.…} runs. The registry implements them. */
public interface SysProcedures {
    /**
     * Opens connections until each pool of the server has this many.
     *
     * @param count 0 to {@link dev.reservoir.remote.model.ServerOptions#CONNECTIONS_MAX}
     */
    void warmupPool(String server, int count) throws SQLException;

    /** Closes the connections of the server that were idle for longer than its idle timeout. */
    void evictIdleConnections(String server) throws SQLException;

    /** Closes all connections of the server. Those in use close on release. */
    void closeAllConnections(String server) throws SQLException;

    /** Resets the session of one connection of the server, or closes it on release if it is in use. */
    void resetConnection(String server, long connectionId) throws SQLException;
}
