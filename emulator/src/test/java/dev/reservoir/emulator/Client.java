package dev.reservoir.emulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** PostgreSQL's own driver against an emulator. */
final class Client {
    private Client() {}

    /** Connects as admin, without a password, because the emulator does not check tokens. */
    static Connection connect(DsqlEmulator dsql) throws SQLException {
        return connect(dsql, "");
    }

    /** With more parameters of the driver, as {@code &name=value}. */
    static Connection connect(DsqlEmulator dsql, String more) throws SQLException {
        return as(dsql, "admin", "", more);
    }

    static Connection as(DsqlEmulator dsql, String user, String password, String more) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", user);
        properties.setProperty("password", password);
        return DriverManager.getConnection(dsql.jdbcUrl() + more, properties);
    }

    static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** The single value that a query returns. */
    static String value(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            assertThat(rows.next()).as("a row").isTrue();
            return rows.getString(1);
        }
    }

    static void assertRefused(ThrowingCallable action, String state, String message) {
        SQLException refusal = catchThrowableOfType(SQLException.class, action);
        assertThat((Throwable) refusal)
                .as("a refusal")
                .isNotNull()
                .hasMessageContaining(message)
                .extracting(thrown -> ((SQLException) thrown).getSQLState())
                .isEqualTo(state);
    }
}
