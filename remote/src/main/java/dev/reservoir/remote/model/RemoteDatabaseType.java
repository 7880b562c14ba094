package dev.reservoir.remote.model;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The kinds of servers that the registry connects to. */
public enum RemoteDatabaseType {
    POSTGRESQL(5432, "SELECT 1"),
    MYSQL(3306, "SELECT 1"),
    MSSQL(1433, "SELECT 1"),
    FIREBIRD(3050, "SELECT 1 FROM RDB$DATABASE"),
    SCRATCHBIRD(3092, "SELECT 1");

    private static final String WRAPPER_SUFFIX = "_fdw";

    private final int defaultPort;
    private final String healthQuery;

    RemoteDatabaseType(int defaultPort, String healthQuery) {
        this.defaultPort = defaultPort;
        this.healthQuery = healthQuery;
    }

    /** The name in {@code TYPE}, in statistics and in views, such as {@code postgresql}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The name in {@code FOREIGN DATA WRAPPER}, such as {@code postgresql_fdw}. */
    public String wrapper() {
        return label() + WRAPPER_SUFFIX;
    }

    public int defaultPort() {
        return defaultPort;
    }

    /** The query of a health check, unless {@code health_check_query} names another. */
    public String healthQuery() {
        return healthQuery;
    }

    /** The type with this label or wrapper name, in any case. Returns null if there is none. */
    public static @Nullable RemoteDatabaseType named(String name) {
        for (RemoteDatabaseType type : values()) {
            if (type.label().equalsIgnoreCase(name) || type.wrapper().equalsIgnoreCase(name)) {
                return type;
            }
        }
        return null;
    }

    public static List<String> wrappers() {
        return Arrays.stream(values()).map(RemoteDatabaseType::wrapper).toList();
    }
}
