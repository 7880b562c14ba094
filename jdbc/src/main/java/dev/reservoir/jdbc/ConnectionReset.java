package dev.reservoir.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * Clears what a caller left in its session and JDBC cannot restore: temporary tables, changed server settings, locks of
 * the session. The data source calls it on the thread that closes a connection which ran something. Statements are
 * closed by then, the transaction is rolled back, and the settings of JDBC are restored.
 */
@FunctionalInterface
public interface ConnectionReset {

    /**
     * Clears the session behind this connection of the driver. May block, as long as the driver takes.
     *
     * @throws SQLException if the session could not be cleared; the connection is then discarded
     */
    void reset(Connection connection) throws SQLException;
}
