package dev.reservoir.bench.pools;

import java.sql.SQLException;
import javax.sql.DataSource;
import org.apache.commons.dbcp2.BasicDataSource;

/** DBCP2 at its defaults. Fills on the caller's thread, and throws if the database refuses any connect of that fill. */
final class Dbcp2Peer implements PoolUnderTest {

    private final BasicDataSource pool = new BasicDataSource();

    Dbcp2Peer(PoolSettings settings) throws SQLException {
        pool.setUrl(settings.url());
        pool.setDriverClassName(settings.driverClassName());
        pool.setInitialSize(settings.size());
        pool.setMinIdle(settings.size());
        pool.setMaxIdle(settings.size());
        pool.setMaxTotal(settings.size());
        pool.setMaxWait(settings.acquireTimeout());
        if (settings.lifetime() != null) {
            pool.setMaxConn(settings.lifetime());
        }
        pool.start();
    }

    @Override
    public DataSource dataSource() {
        return pool;
    }

    @Override
    public void close() {
        try {
            pool.close();
        } catch (SQLException e) {
            throw new IllegalStateException("DBCP2 did not close", e);
        }
    }
}
