package dev.reservoir.jdbc.clients;

import dev.reservoir.jdbc.TestPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.postgresql.ds.PGSimpleDataSource;

/** The real database. Records which threads connect to it. */
final class WatchedPostgres extends PGSimpleDataSource {
    private static final long serialVersionUID = 1L;

    final transient List<String> connectingThreads = new CopyOnWriteArrayList<>();

    WatchedPostgres() {
        setUrl(TestPostgres.url());
    }

    @Override
    public Connection getConnection() throws SQLException {
        connectingThreads.add(Thread.currentThread().getName());
        return super.getConnection();
    }
}
