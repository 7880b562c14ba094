package dev.reservoir.bench.pools;

import com.mchange.v2.c3p0.ComboPooledDataSource;
import java.beans.PropertyVetoException;
import java.sql.SQLException;
import javax.sql.DataSource;

/** c3p0 at its defaults. Fills in the background with three threads, which retry. */
final class C3p0Peer implements PoolUnderTest {

    private final ComboPooledDataSource pool = new ComboPooledDataSource();

    C3p0Peer(PoolSettings settings) throws SQLException {
        try {
            pool.setDriverClass(settings.driverClassName());
        } catch (PropertyVetoException e) {
            throw new SQLException("c3p0 did not take the driver " + settings.driverClassName(), e);
        }
        pool.setDataSourceName(settings.name());
        pool.setJdbcUrl(settings.url());
        pool.setInitialPoolSize(settings.size());
        pool.setMinPoolSize(settings.size());
        pool.setMaxPoolSize(settings.size());
        pool.setCheckoutTimeout(Math.toIntExact(settings.acquireTimeout().toMillis()));
        if (settings.lifetime() != null) {
            pool.setMaxConnectionAge(Math.toIntExact(settings.lifetime().toSeconds()));
        }
        // Reading a statistic starts the pool, which otherwise starts at the first checkout.
        pool.getNumConnectionsDefaultUser();
    }

    @Override
    public DataSource dataSource() {
        return pool;
    }

    @Override
    public void close() {
        pool.close();
    }
}
