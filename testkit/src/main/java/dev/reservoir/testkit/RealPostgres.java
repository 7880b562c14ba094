package dev.reservoir.testkit;

import dev.reservoir.postgres.local.LocalPostgres;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A real PostgreSQL server for the tests of this JVM, with the isolation level of Aurora DSQL. It starts when a test
 * first needs it and stops with the JVM. Tests share it, so each test uses tables of its own.
 */
public final class RealPostgres {
    private static @Nullable LocalPostgres server;

    private RealPostgres() {}

    private static synchronized LocalPostgres server() {
        if (server == null) {
            server = LocalPostgres.builder().setting("max_connections", "200").start();
        }
        return server;
    }

    /** Connections with isolation level REPEATABLE READ. Each call of {@code getConnection} opens a new one. */
    public static DataSource repeatableRead() {
        return isolated("repeatable\\ read");
    }

    /** Connections with isolation level SERIALIZABLE. Each call of {@code getConnection} opens a new one. */
    public static DataSource serializable() {
        return isolated("serializable");
    }

    private static DataSource isolated(String level) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(server().url());
        source.setOptions("-c default_transaction_isolation=" + level);
        return source;
    }

    /** Runs each statement in a transaction of its own. */
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

    /** The first column of the first row, as a number. */
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
