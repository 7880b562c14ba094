package dev.reservoir.bench.trouble;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A real PostgreSQL with data of its own. It can be killed and started again on the same port. Its sessions are told apart by the
 * application's name, which is the first argument of {@link #url}. Not for use by several threads, save {@link #url} and
 * {@link #sessions}.
 */
public final class TroubleServer implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final long LOOK_MILLIS = 5;
    private static final String REFUSED = "FATAL:  password authentication failed for user \"app\"";

    private final Path directory;
    private EmbeddedPostgres server;
    private boolean running = true;

    private TroubleServer(Path directory, EmbeddedPostgres server) {
        this.directory = directory;
        this.server = server;
    }

    /** Makes an empty one and starts it. Blocks for some seconds. */
    public static TroubleServer start() throws IOException {
        Path directory = Files.createTempDirectory("reservoir-trouble");
        return new TroubleServer(directory, launch(directory, 0));
    }

    private static EmbeddedPostgres launch(Path directory, int port) throws IOException {
        Redirect log = Redirect.appendTo(directory.resolve("log").toFile());
        EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder()
                .setDataDirectory(directory.resolve("data"))
                .setCleanDataDirectory(false)
                .setPGStartupWait(PATIENCE)
                .setOutputRedirector(log)
                .setErrorRedirector(log)
                .setServerConfig("max_connections", "300")
                .setServerConfig("lc_messages", "C")
                // The process is killed, never the machine.
                .setServerConfig("fsync", "off");
        if (port != 0) {
            builder.setPort(port);
        }
        return builder.start();
    }

    public int port() {
        return server.getPort();
    }

    /** A URL for the superuser, who needs no password, by way of a port of this machine. */
    public static String url(String application, int port) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=postgres&ApplicationName=" + application;
    }

    /** Makes the user {@code app}, for whom a password is asked, and a URL with a wrong one. */
    String urlWithWrongPassword() throws IOException, SQLException {
        try (Connection connection = admin();
                Statement statement = connection.createStatement()) {
            statement.execute("create role app login password 'right'");
            Path rules;
            try (ResultSet row = statement.executeQuery("show hba_file")) {
                row.next();
                rules = Path.of(row.getString(1));
            }
            Files.writeString(rules, "host all postgres all trust\nhost all all all scram-sha-256\n");
            statement.execute("select pg_reload_conf()");
        }
        return "jdbc:postgresql://127.0.0.1:" + port() + "/postgres?user=app&password=wrong";
    }

    /** How many logins with the wrong password the server has refused, by its own log. */
    long refusedLogins() throws IOException {
        try (Stream<String> lines = Files.lines(directory.resolve("log"), StandardCharsets.UTF_8)) {
            return lines.filter(line -> line.contains(REFUSED)).count();
        }
    }

    /** How many sessions of an application the server has. */
    public int sessions(String application) throws SQLException {
        try (Connection connection = admin();
                PreparedStatement statement = connection.prepareStatement(
                        "select count(*) from pg_stat_activity where application_name = ?")) {
            statement.setString(1, application);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        }
    }

    /** Waits until an application has this many sessions, up to a minute; false if it has not. */
    public boolean awaitSessions(String application, int count) throws SQLException, InterruptedException {
        long beganNanos = System.nanoTime();
        while (sessions(application) != count) {
            if (System.nanoTime() - beganNanos > PATIENCE.toNanos()) {
                return false;
            }
            Thread.sleep(LOOK_MILLIS * 4);
        }
        return true;
    }

    /** Ends all idle sessions of an application, and blocks until those are gone. Tells how many there were. */
    public int terminateIdle(String application) throws SQLException {
        try (Connection connection = admin();
                PreparedStatement statement = connection.prepareStatement(
                        "select count(pg_terminate_backend(pid, 5000)) from pg_stat_activity"
                                + " where application_name = ? and state = 'idle'")) {
            statement.setString(1, application);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        }
    }

    /** Ends the server at once, without a word to its clients. Blocks until it is gone. */
    void kill() throws IOException, InterruptedException {
        running = false;
        Path pidFile = directory.resolve("data").resolve("postmaster.pid");
        String pid = Files.readAllLines(pidFile).get(0).strip();
        // An immediate shutdown: SIGKILL would leave the server's children and their shared memory.
        Process kill = new ProcessBuilder("kill", "-QUIT", pid).start();
        if (!kill.waitFor(10, TimeUnit.SECONDS) || kill.exitValue() != 0) {
            throw new IOException("could not signal the server");
        }
        long beganNanos = System.nanoTime();
        while (Files.exists(pidFile)) {
            if (System.nanoTime() - beganNanos > PATIENCE.toNanos()) {
                throw new IOException("the server did not end within " + PATIENCE);
            }
            Thread.sleep(LOOK_MILLIS);
        }
        // Finds nobody to stop, and lets go of the data.
        server.close();
    }

    /** Starts it again after {@link #kill}, on the same port. Blocks until it answers. */
    void startAgain() throws IOException {
        server = launch(directory, port());
        running = true;
    }

    /** Blocks until a connect works again, and tells when that was; for the thread that does not start the server. */
    static long awaitAccepting(int port) throws SQLException, InterruptedException {
        long beganNanos = System.nanoTime();
        while (true) {
            try {
                DriverManager.getConnection(url("probe", port)).close();
                return System.nanoTime();
            } catch (SQLException e) {
                if (System.nanoTime() - beganNanos > PATIENCE.toNanos()) {
                    throw e;
                }
            }
            Thread.sleep(LOOK_MILLIS);
        }
    }

    private Connection admin() throws SQLException {
        return DriverManager.getConnection(url("admin", port()));
    }

    @Override
    public void close() throws IOException {
        if (running) {
            server.close();
        }
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
