package dev.reservoir.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Asks a server which sessions it knows and whether they wait for a command. Knows PostgreSQL, MySQL and MariaDB, by the classes of
 * their drivers. Blocks while it asks.
 *
 * <p>A number alone does not name a session: behind one host name there may be several servers. So each session is known by its
 * server as well, and nothing is said of sessions of another server than the one that was asked. Through a proxy that shares
 * sessions the numbers mean nothing; that shows because the one who asks does not find itself.
 */
enum ServerSessions {
    POSTGRESQL(
            "org.postgresql.",
            "select pg_catalog.pg_backend_pid(), pg_catalog.concat_ws(' ', pg_catalog.inet_server_addr(),"
                    + " pg_catalog.inet_server_port(), pg_catalog.pg_postmaster_start_time())",
            "select pid, state like 'idle%' and pg_catalog.clock_timestamp() - state_change > interval '1 second'"
                    + " from pg_catalog.pg_stat_activity"),
    MYSQL("com.mysql.", Mysql.SESSION, Mysql.SESSIONS),
    MARIADB("org.mariadb.", Mysql.SESSION, Mysql.SESSIONS);

    private final String driverPackage;
    private final String sessionQuery;
    private final String sessionsQuery;

    ServerSessions(String driverPackage, String sessionQuery, String sessionsQuery) {
        this.driverPackage = driverPackage;
        this.sessionQuery = sessionQuery;
        this.sessionsQuery = sessionsQuery;
    }

    /** MySQL shows a user its own sessions only, so the user is part of what names the server. */
    private static final class Mysql {
        private static final String SESSION =
                "select connection_id(), concat_ws(' ', @@hostname, @@port, @@server_id, current_user())";
        private static final String SESSIONS =
                "select id, command = 'Sleep' and time >= 1 from information_schema.processlist";
    }

    /**
     * A session of a server.
     *
     * @param server names the server, until its next start
     * @param number names the session there
     */
    record Id(String server, long number) {}

    /** How to ask the server behind this connection; null if that is not known. */
    static @Nullable ServerSessions of(Connection raw) {
        for (ServerSessions known : values()) {
            if (raw.getClass().getName().startsWith(known.driverPackage)) {
                return known;
            }
        }
        return null;
    }

    /** The session of this connection; null if the server does not tell. */
    @Nullable
    Id session(Connection raw) throws SQLException {
        try (Statement statement = raw.createStatement();
                ResultSet row = statement.executeQuery(sessionQuery)) {
            if (!row.next()) {
                return null;
            }
            String server = row.getString(2);
            return server == null || server.isBlank() ? null : new Id(server, row.getLong(1));
        }
    }

    /** Every session that the server of this connection shows, with whether it has waited for a command for a second or more. */
    Map<Long, Boolean> sessions(Connection raw) throws SQLException {
        Map<Long, Boolean> idle = new HashMap<>();
        try (Statement statement = raw.createStatement();
                ResultSet rows = statement.executeQuery(sessionsQuery)) {
            while (rows.next()) {
                idle.put(rows.getLong(1), rows.getBoolean(2));
            }
        }
        return idle;
    }
}
