package dev.reservoir.bench.pools;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import javax.sql.DataSource;

/**
 * HikariCP at its defaults. Throws at once if the database refuses its first connect. Opens the other connections in
 * the background.
 */
final class HikariPeer implements PoolUnderTest {

    private final HikariDataSource pool;

    HikariPeer(PoolSettings settings) {
        HikariConfig config = new HikariConfig();
        config.setPoolName(settings.name());
        config.setJdbcUrl(settings.url());
        config.setDriverClassName(settings.driverClassName());
        config.setMaximumPoolSize(settings.size());
        config.setMinimumIdle(settings.size());
        config.setConnectionTimeout(settings.acquireTimeout().toMillis());
        if (settings.lifetime() != null) {
            config.setMaxLifetime(settings.lifetime().toMillis());
        }
        this.pool = new HikariDataSource(config);
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
