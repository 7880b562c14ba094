package dev.reservoir.bench.pools;

import java.sql.SQLException;
import javax.sql.DataSource;
import org.apache.tomcat.jdbc.pool.PoolProperties;

/**
 * Tomcat JDBC at its defaults. Fills on the caller's thread, and throws if the database refuses any connect of that
 * fill.
 */
final class TomcatPeer implements PoolUnderTest {

    private final org.apache.tomcat.jdbc.pool.DataSource pool;

    TomcatPeer(PoolSettings settings) throws SQLException {
        PoolProperties config = new PoolProperties();
        config.setName(settings.name());
        config.setUrl(settings.url());
        config.setDriverClassName(settings.driverClassName());
        config.setInitialSize(settings.size());
        config.setMinIdle(settings.size());
        config.setMaxIdle(settings.size());
        config.setMaxActive(settings.size());
        config.setMaxWait(Math.toIntExact(settings.acquireTimeout().toMillis()));
        if (settings.lifetime() != null) {
            config.setMaxAge(settings.lifetime().toMillis());
        }
        this.pool = new org.apache.tomcat.jdbc.pool.DataSource(config);
        pool.createPool();
    }

    @Override
    public DataSource dataSource() {
        return pool;
    }

    @Override
    public void close() {
        pool.close(true);
    }
}
