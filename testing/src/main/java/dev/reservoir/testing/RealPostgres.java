package dev.reservoir.testing;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A real PostgreSQL for the tests of this JVM, whose transactions are as isolated as Aurora DSQL's. Starts when it is first needed
 * and stops with the JVM. Tests share it, and keep to tables of their own.
 */
public final class RealPostgres {
    private static @Nullable EmbeddedPostgres server;

    private RealPostgres() {}

    private static synchronized EmbeddedPostgres server() {
        if (server == null) {
            EmbeddedPostgres started;
            try {
                started = EmbeddedPostgres.builder()
                        .setServerConfig("max_connections", "200")
                        .start();
            } catch (IOException e) {
                throw new UncheckedIOException("PostgreSQL did not start", e);
            }
            Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(started), "stop-postgres"));
            server = started;
        }
        return server;
    }

    private static void stop(EmbeddedPostgres started) {
        try {
            started.close();
        } catch (IOException e) {
            System.err.println("PostgreSQL did not stop: " + e);
        }
    }

    /** Every connection of it is a new one. */
    public static DataSource repeatableRead() {
        return isolated("repeatable\\ read");
    }

    /** The same, one level up. */
    public static DataSource serializable() {
        return isolated("serializable");
    }

    private static DataSource isolated(String level) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(server().getJdbcUrl("postgres", "postgres"));
        source.setOptions("-c default_transaction_isolation=" + level);
        return source;
    }

    /** Each in a transaction of its own. */
    public static void execute(String... statements) {
        try (Connection connection = repeatableRead().getConnection();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The first number of the first row. */
    public static long number(String sql) {
        try (Connection connection = repeatableRead().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
