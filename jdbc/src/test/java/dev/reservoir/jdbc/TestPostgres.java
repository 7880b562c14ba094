package dev.reservoir.jdbc;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/**
 * A real PostgreSQL for the tests of this JVM, on a free port of this machine. Starts when it is first needed and stops with
 * the JVM. Tests share it, so none may stop it or depend on its being empty.
 */
public final class TestPostgres {
    public static final String USER = "postgres";
    public static final String DATABASE = "postgres";

    private static EmbeddedPostgres server;

    private TestPostgres() {}

    /** Starts it if need be, which takes some seconds. */
    public static synchronized EmbeddedPostgres server() {
        if (server == null) {
            try {
                server = EmbeddedPostgres.builder()
                        .setServerConfig("max_connections", "500")
                        .start();
            } catch (IOException e) {
                throw new UncheckedIOException("PostgreSQL did not start", e);
            }
            Runtime.getRuntime().addShutdownHook(new Thread(TestPostgres::stop, "stop-postgres"));
        }
        return server;
    }

    public static int port() {
        return server().getPort();
    }

    /** A URL that needs no password. */
    public static String url() {
        return server().getJdbcUrl(USER, DATABASE);
    }

    /** The same with further parameters of the driver, as in {@code "socketTimeout=2&prepareThreshold=1"}. */
    public static String url(String parameters) {
        return url() + "&" + parameters;
    }

    /** A connection of the driver, past every pool. */
    public static Connection open() throws SQLException {
        return DriverManager.getConnection(url());
    }

    private static synchronized void stop() {
        try {
            server.close();
        } catch (IOException e) {
            System.err.println("PostgreSQL did not stop: " + e);
        }
    }
}
