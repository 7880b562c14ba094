package dev.reservoir.bench.pools;

import java.sql.SQLException;
import javax.sql.DataSource;
import org.vibur.dbcp.ViburDBCPDataSource;
import org.vibur.dbcp.ViburDBCPException;

/** Vibur at its defaults. Fills on the caller's thread, with retries of its own. Has no setting for the lifetime. */
final class ViburPeer implements PoolUnderTest {

    private final ViburDBCPDataSource pool = new ViburDBCPDataSource();

    ViburPeer(PoolSettings settings) throws SQLException {
        pool.setName(settings.name());
        pool.setJdbcUrl(settings.url());
        pool.setDriverClassName(settings.driverClassName());
        pool.setUsername("bench");
        pool.setPassword("");
        pool.setPoolInitialSize(settings.size());
        pool.setPoolMaxSize(settings.size());
        pool.setConnectionTimeoutInMs(settings.acquireTimeout().toMillis());
        try {
            pool.start();
        } catch (ViburDBCPException e) {
            throw new SQLException("Vibur did not start", e);
        }
    }

    @Override
    public DataSource dataSource() {
        return pool;
    }

    @Override
    public void close() {
        pool.terminate();
    }
}
