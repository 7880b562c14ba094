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
 * A real PostgreSQL for the tests of this JVM, whose transactions are as isolated as Aurora DSQL's. Starts when it is first needed
 * and stops with the JVM. Tests share it, and keep to tables of their own.
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
        source.setUrl(server().url());
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
