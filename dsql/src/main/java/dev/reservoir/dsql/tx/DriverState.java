package dev.reservoir.dsql.tx;

import java.sql.Connection;
import java.sql.SQLException;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/** What PostgreSQL's driver knows of a transaction and JDBC has no word for. Of another driver it says nothing. Never blocks. */
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

    /** Whether a statement has failed, so that the server will take nothing but a rollback. */
    static boolean hasFailed(Connection connection) throws SQLException {
        return KNOWN && Postgres.hasFailed(connection);
    }

    /** By itself, so that the driver's classes are not looked for where they are not. */
    private static final class Postgres {
        static boolean hasFailed(Connection connection) throws SQLException {
            return connection.isWrapperFor(BaseConnection.class)
                    && connection.unwrap(BaseConnection.class).getTransactionState() == TransactionState.FAILED;
        }
    }
}
