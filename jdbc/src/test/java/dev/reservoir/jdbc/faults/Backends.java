package dev.reservoir.jdbc.faults;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.awaitility.Awaitility;

/** Asks the server for its sessions, over a connection of its own that no pool manages. For one thread at a time. */
final class Backends implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Connection connection;

    private Backends(Connection connection) {
        this.connection = connection;
    }

    static Backends of(String url) throws SQLException {
        return new Backends(DriverManager.getConnection(url));
    }

    /** Returns how many sessions an application has. */
    int count(String application) throws SQLException {
        return pids(application).size();
    }

    /** Returns the process ids of an application's sessions, the oldest first. */
    List<Integer> pids(String application) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "select pid from pg_stat_activity where application_name = ? order by backend_start, pid")) {
            statement.setString(1, application);
            try (ResultSet rows = statement.executeQuery()) {
                List<Integer> pids = new ArrayList<>();
                while (rows.next()) {
                    pids.add(rows.getInt(1));
                }
                return pids;
            }
        }
    }

    /** Kills these sessions in one statement, so that they end as close together as possible. Does not wait. */
    void terminate(Collection<Integer> pids) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("select pg_terminate_backend(pid) from unnest(?) as pid")) {
            statement.setArray(1, connection.createArrayOf("integer", pids.toArray()));
            statement.executeQuery().close();
        }
    }

    /** Does the same, and waits until the server no longer knows them. */
    void terminateAndAwait(Collection<Integer> pids) throws SQLException {
        terminate(pids);
        Awaitility.await("end of killed sessions").atMost(PATIENCE).until(() -> !anyOf(pids));
    }

    private boolean anyOf(Collection<Integer> pids) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("select 1 from pg_stat_activity where pid = any (?)")) {
            statement.setArray(1, connection.createArrayOf("integer", pids.toArray()));
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next();
            }
        }
    }

    /**
     * Waits until an application has this many sessions. The server notices the end of a session some time after its
     * client.
     */
    void awaitCount(String application, int expected) {
        Awaitility.await(application + " has " + expected + " sessions")
                .atMost(PATIENCE)
                .until(() -> count(application) == expected);
    }

    void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    long number(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }

    String text(String sql) throws SQLException {
        return Pools.text(connection, sql);
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
