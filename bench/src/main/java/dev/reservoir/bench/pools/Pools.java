package dev.reservoir.bench.pools;

import com.mchange.v2.c3p0.ComboPooledDataSource;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.reservoir.bench.rationed.RationLimits;
import dev.reservoir.core.LocalPermits;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.core.time.SystemTime;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.ReservoirDataSourceBuilder;
import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.AgroalConnectionPoolConfiguration.ConnectionValidator;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.api.exceptionsorter.PostgreSQLExceptionSorter;
import java.beans.PropertyVetoException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.commons.dbcp2.BasicDataSource;
import org.apache.tomcat.jdbc.pool.PoolProperties;
import org.vibur.dbcp.ViburDBCPDataSource;
import org.vibur.dbcp.ViburDBCPException;

/** Starts each kind of pool. The package says how the pools are set, and why. */
final class Pools {

    private static final Map<RationLimits, Permits> PERMITS = new ConcurrentHashMap<>();

    private Pools() {}

    /**
     * Reservoir at its defaults. Unless the case wants Reservoir's own start, it does not wait at the start and fills
     * in the background. If a case sets the lifetime, jitter and guard window are the same shares of it as by default.
     * Pools with the same ration share its permits.
     */
    static PoolUnderTest reservoir(PoolSettings settings) {
        ReservoirDataSourceBuilder builder = ReservoirDataSource.builder()
                .name(settings.name())
                .url(settings.url())
                .driverClassName(settings.driverClassName())
                .maxOpen(settings.size());
        if (!settings.ownStart()) {
            builder.acquireTimeout(settings.acquireTimeout()).initialFillTimeout(Duration.ZERO);
        }
        if (settings.lifetime() != null) {
            builder.baseLifetime(settings.lifetime())
                    .lifetimeJitter(settings.lifetime().multipliedBy(2).dividedBy(11))
                    .guardWindow(settings.lifetime().multipliedBy(45).dividedBy(660));
        }
        if (settings.openTimeout() != null) {
            builder.connectTimeout(settings.openTimeout());
        }
        if (settings.ration() != null) {
            builder.permits(PERMITS.computeIfAbsent(settings.ration(), Pools::permits));
        }
        ReservoirDataSource pool = builder.build();
        return new PoolUnderTest(pool, pool::close);
    }

    private static Permits permits(RationLimits ration) {
        return new LocalPermits(ration.ratePerSecond(), ration.burst(), new SystemTime("bench-permits"));
    }

    /**
     * HikariCP at its defaults. Throws at once if the database refuses its first connect. Opens the other connections
     * in the background.
     */
    static PoolUnderTest hikari(PoolSettings settings) {
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
        HikariDataSource pool = new HikariDataSource(config);
        return new PoolUnderTest(pool, pool::close);
    }

    /**
     * Agroal. Fills in the background, one connection at a time. A bare pool has the defaults of Agroal's API, which
     * never check an idle connection. Otherwise it has the idle removal and background validation that Quarkus sets,
     * which read the clock at each release. On PostgreSQL it then also has the exception sorter for broken connections
     * that Quarkus sets.
     */
    static PoolUnderTest agroal(PoolSettings settings, boolean bare) throws SQLException {
        AgroalDataSourceConfigurationSupplier config = new AgroalDataSourceConfigurationSupplier()
                .connectionPoolConfiguration(connections -> {
                    connections
                            .initialSize(settings.size())
                            .minSize(settings.size())
                            .maxSize(settings.size())
                            .acquisitionTimeout(settings.acquireTimeout())
                            .connectionFactoryConfiguration(factory -> factory.jdbcUrl(settings.url())
                                    .connectionProviderClassName(settings.driverClassName()));
                    if (settings.lifetime() != null) {
                        connections.maxLifetime(settings.lifetime());
                    }
                    if (!bare && settings.driverClassName().equals("org.postgresql.Driver")) {
                        connections.exceptionSorter(new PostgreSQLExceptionSorter());
                    }
                    if (!bare) {
                        connections
                                .reapTimeout(Duration.ofMinutes(5))
                                .validationTimeout(Duration.ofMinutes(2))
                                .connectionValidator(ConnectionValidator.defaultValidator());
                    }
                    return connections;
                });
        AgroalDataSource pool = AgroalDataSource.from(config);
        return new PoolUnderTest(pool, pool::close);
    }

    /**
     * Vibur at its defaults. Fills on the caller's thread, with retries of its own. Has no setting for the lifetime.
     */
    static PoolUnderTest vibur(PoolSettings settings) throws SQLException {
        ViburDBCPDataSource pool = new ViburDBCPDataSource();
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
        return new PoolUnderTest(pool, pool::terminate);
    }

    /**
     * Tomcat JDBC at its defaults. Fills on the caller's thread, and throws if the database refuses any connect of that
     * fill.
     */
    static PoolUnderTest tomcat(PoolSettings settings) throws SQLException {
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
        org.apache.tomcat.jdbc.pool.DataSource pool = new org.apache.tomcat.jdbc.pool.DataSource(config);
        pool.createPool();
        return new PoolUnderTest(pool, () -> pool.close(true));
    }

    /** c3p0 at its defaults. Fills in the background with three threads, which retry. */
    static PoolUnderTest c3p0(PoolSettings settings) throws SQLException {
        ComboPooledDataSource pool = new ComboPooledDataSource();
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
        return new PoolUnderTest(pool, pool::close);
    }

    /**
     * DBCP2 at its defaults. Fills on the caller's thread, and throws if the database refuses any connect of that fill.
     */
    static PoolUnderTest dbcp2(PoolSettings settings) throws SQLException {
        BasicDataSource pool = new BasicDataSource();
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
        return new PoolUnderTest(pool, () -> close(pool));
    }

    private static void close(BasicDataSource pool) {
        try {
            pool.close();
        } catch (SQLException e) {
            throw new IllegalStateException("DBCP2 did not close", e);
        }
    }
}
