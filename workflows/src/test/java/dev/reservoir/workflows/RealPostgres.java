package dev.reservoir.workflows;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A real PostgreSQL for the tests of this JVM, whose transactions are as isolated as Aurora DSQL's. Stops with the JVM. */
final class RealPostgres {
    private static EmbeddedPostgres server;

    private RealPostgres() {}

    private static synchronized EmbeddedPostgres server() {
        if (server == null) {
            try {
                server = EmbeddedPostgres.start();
            } catch (IOException e) {
                throw new UncheckedIOException("PostgreSQL did not start", e);
            }
            Runtime.getRuntime().addShutdownHook(new Thread(RealPostgres::stop, "stop-postgres"));
        }
        return server;
    }

    private static synchronized void stop() {
        try {
            server.close();
        } catch (IOException e) {
            System.err.println("PostgreSQL did not stop: " + e);
        }
    }

    static DataSource dataSource() {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(server().getJdbcUrl("postgres", "postgres"));
        source.setOptions("-c default_transaction_isolation=repeatable\\ read");
        return source;
    }

    /** The first number of the first row. */
    static long number(String sql) {
        try (Connection connection = dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
