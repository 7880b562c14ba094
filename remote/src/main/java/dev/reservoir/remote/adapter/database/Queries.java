package dev.reservoir.remote.adapter.database;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/** Small statements of the adapters themselves. */
final class Queries {
    private Queries() {}

    static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** The first column of the first row, or null. */
    static @Nullable String text(Connection connection, String sql) throws SQLException {
        return text(connection, sql, 1);
    }

    /** One column of the first row, or null. */
    static @Nullable String text(Connection connection, String sql, int column) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? row.getString(column) : null;
        }
    }

    /** Whether the first value is true. Returns null if there is none, or if the user may not ask. */
    static @Nullable Boolean isTrue(Connection connection, String sql) {
        try {
            String value = text(connection, sql);
            return value == null ? null : value.equalsIgnoreCase("t") || value.equalsIgnoreCase("true");
        } catch (SQLException e) {
            return null;
        }
    }
}
