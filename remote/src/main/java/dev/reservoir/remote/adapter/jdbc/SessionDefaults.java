package dev.reservoir.remote.adapter.jdbc;

import dev.reservoir.remote.adapter.jdbc.DriverProfile.Setting;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The settings of a JDBC connection right after the connect, which are restored before it serves the next user. */
final class SessionDefaults {
    private final Set<Setting> restored;
    private final boolean readOnly;
    private final int holdability;
    private final @Nullable String catalog;
    private final @Nullable String schema;
    private final int isolation;

    private SessionDefaults(Connection connection, Set<Setting> restored) throws SQLException {
        this.restored = restored;
        readOnly = connection.isReadOnly();
        holdability = connection.getHoldability();
        catalog = restored.contains(Setting.CATALOG) ? connection.getCatalog() : null;
        schema = restored.contains(Setting.SCHEMA) ? connection.getSchema() : null;
        isolation = restored.contains(Setting.ISOLATION) ? connection.getTransactionIsolation() : 0;
    }

    /** Reads the settings. May ask the server. */
    static SessionDefaults of(Connection connection, Set<Setting> restored) throws SQLException {
        return new SessionDefaults(connection, restored);
    }

    /** Whether the user chose a catalog and there was none before. No statement returns to none. */
    boolean mustReplace(Connection connection) throws SQLException {
        return restored.contains(Setting.CATALOG) && isNone(catalog) && !isNone(connection.getCatalog());
    }

    private static boolean isNone(@Nullable String name) {
        return name == null || name.isEmpty();
    }

    /** Restores what differs. There is no transaction. */
    void restore(Connection connection) throws SQLException {
        if (connection.isReadOnly() != readOnly) {
            connection.setReadOnly(readOnly);
        }
        if (connection.getHoldability() != holdability) {
            connection.setHoldability(holdability);
        }
        if (restored.contains(Setting.CATALOG) && !Objects.equals(connection.getCatalog(), catalog)) {
            connection.setCatalog(catalog);
        }
        if (restored.contains(Setting.SCHEMA) && !Objects.equals(connection.getSchema(), schema)) {
            connection.setSchema(schema);
        }
        if (restored.contains(Setting.ISOLATION) && connection.getTransactionIsolation() != isolation) {
            connection.setTransactionIsolation(isolation);
        }
        connection.clearWarnings();
    }
}
