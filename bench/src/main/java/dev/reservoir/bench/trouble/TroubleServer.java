package dev.reservoir.bench.trouble;

import dev.reservoir.bench.Daemons;
import dev.reservoir.bench.Polling;
import dev.reservoir.postgres.local.LocalPostgres;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A real PostgreSQL server with data of its own. It can be killed and started again on the same port. Its sessions are
 * distinguished by the application name, which is the first argument of {@link #url}. Not for use by several threads,
 * except {@link #url} and {@link #sessions}.
 */
public final class TroubleServer implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String REFUSED = "FATAL:  password authentication failed for user \"app\"";

    /** The server itself, which can crash and start again. */
    final LocalPostgres postgres;

    private TroubleServer(LocalPostgres postgres) {
        this.postgres = postgres;
    }

    /** Creates an empty server and starts it. Blocks for some seconds. */
    public static TroubleServer start() {
        return new TroubleServer(LocalPostgres.start());
    }

    public int port() {
        return postgres.port();
    }

    public String password() {
        return postgres.password();
    }

    public String url(String application) {
        return url(application, port());
    }

    /** A URL for the superuser through another port of this machine. */
    public String url(String application, int port) {
        return url(application, "127.0.0.1", port, password());
    }

    /** A URL for the superuser of a server of another process, through this host and port. */
    public static String url(String application, String host, int port, String password) {
        return "jdbc:postgresql://" + host + ":" + port + "/postgres?user=postgres&password=" + password
                + "&ApplicationName=" + application;
    }

    /** Creates the user {@code app} and returns a URL with a wrong password for it. */
    String urlWithWrongPassword() throws SQLException {
        try (Connection connection = DriverManager.getConnection(url("admin"));
                Statement statement = connection.createStatement()) {
            statement.execute("create role app login password 'right'");
        }
        return postgres.urlWithoutUser() + "?user=app&password=wrong";
    }

    /** The number of logins with the wrong password that the server has refused, by its own log. */
    long refusedLogins() throws IOException {
        try (Stream<String> lines = Files.lines(postgres.log(), StandardCharsets.UTF_8)) {
            return lines.filter(line -> line.contains(REFUSED)).count();
        }
    }

    /** The number of sessions that an application has on the server. */
    public int sessions(String application) throws SQLException {
        return sessions(url("admin"), application);
    }

    /** The same for a server of another process, on a connection to this URL. */
    public static int sessions(String url, String application) throws SQLException {
        return count(url, "select count(*) from pg_stat_activity where application_name = ?", application);
    }

    /** Blocks until an application has this many sessions, up to a minute. Returns false if it does not. */
    public boolean awaitSessions(String application, int count) throws SQLException, InterruptedException {
        return Polling.until(PATIENCE, Duration.ofMillis(20), () -> sessions(application) == count);
    }

    /** Ends all idle sessions of an application and returns their number. Blocks until they have ended. */
    public int terminateIdle(String application) throws SQLException {
        return count(
                url("admin"),
                "select count(pg_terminate_backend(pid, 5000)) from pg_stat_activity"
                        + " where application_name = ? and state = 'idle'",
                application);
    }

    private static int count(String url, String sql, String application) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, application);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        }
    }

    /**
     * The time of a crash and of the end of it.
     *
     * @param goneNanos when the server was gone
     * @param acceptingNanos when it accepted connections again
     */
    record Outage(long goneNanos, long acceptingNanos) {}

    /** Kills the server and starts it again after this time. Blocks until it accepts connections, up to the limit. */
    Outage restartAfter(Duration away, Duration limit) throws Exception {
        postgres.crash();
        long goneNanos = System.nanoTime();
        Thread.sleep(away.toMillis());
        FutureTask<Long> accepting = Daemons.call("probe", this::awaitAccepting);
        postgres.startAgain();
        return new Outage(goneNanos, accepting.get(limit.toMillis(), TimeUnit.MILLISECONDS));
    }

    /** Blocks until a connect works again and returns the time. Call it on a thread that does not start the server. */
    long awaitAccepting() throws SQLException, InterruptedException {
        long beganNanos = System.nanoTime();
        while (true) {
            try {
                DriverManager.getConnection(url("probe")).close();
                return System.nanoTime();
            } catch (SQLException e) {
                if (System.nanoTime() - beganNanos > PATIENCE.toNanos()) {
                    throw e;
                }
            }
            Thread.sleep(5);
        }
    }

    @Override
    public void close() {
        postgres.close();
    }
}
