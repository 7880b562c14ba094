package dev.reservoir.jdbc;

import dev.reservoir.postgres.local.LocalPostgres;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/**
 * A real PostgreSQL for the tests of this JVM, on a free port of this machine. Starts when a test first needs it and
 * stops with the JVM. Tests share it, so no test may stop it or expect it to be empty.
 */
public final class TestPostgres {
    public static final String USER = LocalPostgres.USER;
    public static final String DATABASE = LocalPostgres.DATABASE;

    private static LocalPostgres server;

    private TestPostgres() {}

    /** Starts the server if necessary, which takes some seconds. */
    private static synchronized LocalPostgres server() {
        if (server == null) {
            server = LocalPostgres.builder().setting("max_connections", "500").start();
        }
        return server;
    }

    public static int port() {
        return server().port();
    }

    public static String password() {
        return server().password();
    }

    /** Returns a URL with user and password. */
    public static String url() {
        return server().url();
    }

    /** Does the same with further parameters of the driver, such as {@code "socketTimeout=2&prepareThreshold=1"}. */
    public static String url(String parameters) {
        return url() + "&" + parameters;
    }

    /** Returns a URL with neither user nor password. */
    public static String urlWithoutUser() {
        return server().urlWithoutUser();
    }

    /** Opens a connection of the driver, without a pool. */
    public static Connection open() throws SQLException {
        return DriverManager.getConnection(url());
    }
}
