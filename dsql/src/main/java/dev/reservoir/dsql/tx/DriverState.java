package dev.reservoir.dsql.tx;

import java.sql.Connection;
import java.sql.SQLException;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/** Reads the transaction state that PostgreSQL's driver knows, and nothing of other drivers. Never blocks. */
final class DriverState {
    private static final boolean KNOWN = isDriverThere();

    private DriverState() {}

    private static boolean isDriverThere() {
        try {
            Class.forName("org.postgresql.core.BaseConnection", false, DriverState.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    /** Whether a statement has failed, so that the server accepts only a rollback. */
    static boolean hasFailed(Connection connection) throws SQLException {
        return KNOWN && Postgres.hasFailed(connection);
    }

    /** A separate class, so that the driver's classes are loaded only if they exist. */
    private static final class Postgres {
        static boolean hasFailed(Connection connection) throws SQLException {
            return connection.isWrapperFor(BaseConnection.class)
                    && connection.unwrap(BaseConnection.class).getTransactionState() == TransactionState.FAILED;
        }
    }
}
