package dev.reservoir.bench.pools;

import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.AgroalConnectionPoolConfiguration.ConnectionValidator;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.api.exceptionsorter.PostgreSQLExceptionSorter;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * Agroal. Fills in the background, one connection at a time. A bare pool has the defaults of Agroal's API, which never
 * check an idle connection. Otherwise it has the idle removal and background validation that Quarkus sets, which read
 * the clock at each release. On PostgreSQL it then also has the exception sorter for broken connections that Quarkus
 * sets.
 */
final class AgroalPeer implements PoolUnderTest {

    private final AgroalDataSource pool;

    AgroalPeer(PoolSettings settings, boolean bare) throws SQLException {
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
        this.pool = AgroalDataSource.from(config);
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
