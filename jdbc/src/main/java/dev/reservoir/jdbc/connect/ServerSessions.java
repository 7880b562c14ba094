package dev.reservoir.jdbc.connect;

import java.lang.reflect.InvocationTargetException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Asks a server which sessions it knows and whether they wait for a command. Knows PostgreSQL, MySQL and MariaDB, by
 * the classes of their drivers. Blocks while it asks. Never ends a session.
 *
 * <p>A number alone does not identify a session, because one host name may lead to several servers. So a session is
 * identified by its server as well. The answer of one server says nothing about sessions of another.
 *
 * <p>Behind a proxy that shares sessions the numbers mean nothing. Two checks detect such a proxy. The number that the
 * driver got when it connected differs from the number that the server reports. Or the session that asks is not the
 * session that runs the query.
 */
enum ServerSessions {
    POSTGRESQL(
            "org.postgresql.",
            "org.postgresql.PGConnection",
            "getBackendPID",
            "select pg_catalog.pg_backend_pid(), pg_catalog.concat_ws(' ', pg_catalog.inet_server_addr(),"
                    + " pg_catalog.inet_server_port(), pg_catalog.pg_postmaster_start_time())",
            "select pid, state like 'idle%' and pg_catalog.clock_timestamp() - state_change > interval '1 second',"
                    + " state = 'active' and query like '%reservoir-sessions%' from pg_catalog.pg_stat_activity"),
    MYSQL("com.mysql.", "com.mysql.cj.MysqlConnection", "getId", Mysql.SESSION, Mysql.SESSIONS),
    MARIADB("org.mariadb.", "org.mariadb.jdbc.Connection", "getThreadId", Mysql.SESSION, Mysql.SESSIONS);

    private final String driverPackage;
    private final String driverType;
    private final String numberMethod;
    private final String sessionQuery;
    private final String sessionsQuery;

    ServerSessions(
            String driverPackage, String driverType, String numberMethod, String sessionQuery, String sessionsQuery) {
        this.driverPackage = driverPackage;
        this.driverType = driverType;
        this.numberMethod = numberMethod;
        this.sessionQuery = sessionQuery;
        this.sessionsQuery = sessionsQuery;
    }

    /**
     * MySQL shows a user only its own sessions, so the user is part of the identity of the server. The other part is
     * the server's id and the second of its start, which {@code uuid_short} contains. The query uses no variables,
     * because variables make some proxies keep a separate session for each client.
     */
    private static final class Mysql {
        private static final String SESSION =
                "select connection_id(), concat_ws(' ', uuid_short() >> 24, current_user())";
        private static final String SESSIONS =
                "select id, command = 'Sleep' and time >= 1, command = 'Query' and info like '%reservoir-sessions%'"
                        + " from information_schema.processlist";
    }

    /**
     * A session of a server.
     *
     * @param server identifies the server, until its next start
     * @param number identifies the session on that server
     */
    record Id(String server, long number) {}

    /** Returns how to ask the server behind this connection, or null if that is not known. */
    static @Nullable ServerSessions of(Connection raw) {
        for (ServerSessions known : values()) {
            if (raw.getClass().getName().startsWith(known.driverPackage)) {
                return known;
            }
        }
        return null;
    }

    /**
     * Returns the session of this connection, or null if the server does not name it or a proxy is in between. Blocks.
     */
    @Nullable
    Id session(Connection raw) throws SQLException {
        Long toldAtConnect = numberOfDriver(raw);
        if (toldAtConnect == null) {
            return null;
        }
        try (Statement statement = raw.createStatement();
                ResultSet row = statement.executeQuery(sessionQuery)) {
            if (!row.next() || row.getLong(1) != toldAtConnect) {
                return null;
            }
            String server = row.getString(2);
            return server == null || server.isBlank() ? null : new Id(server, toldAtConnect);
        }
    }

    /**
     * Returns the number of the session that the driver talks to now, as the driver learned it when it connected.
     * Returns null if the driver does not tell. Does not block.
     */
    @Nullable
    Long numberOfDriver(Connection raw) {
        try {
            Class<?> type = Class.forName(driverType, false, raw.getClass().getClassLoader());
            Object number = type.getMethod(numberMethod).invoke(raw);
            return number instanceof Number n ? n.longValue() : null;
        } catch (ClassNotFoundException
                | NoSuchMethodException
                | IllegalAccessException
                | InvocationTargetException
                | IllegalArgumentException e) {
            return null;
        }
    }

    /**
     * Returns every session that the server of this connection shows, and whether it has waited for a command for a
     * second or more. Returns nothing if the session with the number {@code own} is not the one that asks. Blocks.
     */
    Map<Long, Boolean> sessions(Connection raw, long own) throws SQLException {
        Map<Long, Boolean> idle = new HashMap<>();
        boolean findsItself = false;
        try (Statement statement = raw.createStatement();
                ResultSet rows = statement.executeQuery(sessionsQuery + " /* reservoir-sessions */")) {
            while (rows.next()) {
                idle.put(rows.getLong(1), rows.getBoolean(2));
                findsItself |= rows.getLong(1) == own && rows.getBoolean(3);
            }
        }
        return findsItself ? idle : Map.of();
    }
}
