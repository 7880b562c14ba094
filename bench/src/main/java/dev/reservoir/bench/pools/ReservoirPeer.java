package dev.reservoir.bench.pools;

import dev.reservoir.core.LocalPermits;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.core.time.SystemTime;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.ReservoirDataSourceBuilder;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;

/**
 * Reservoir at its defaults. Unless the case wants Reservoir's own start, it does not wait at the start and fills in
 * the background. If a case sets the lifetime, jitter and guard window are the same shares of it as by default. Pools
 * with the same ration share its permits.
 */
final class ReservoirPeer implements PoolUnderTest {

    private static final Map<Ration, Permits> PERMITS = new ConcurrentHashMap<>();

    private final ReservoirDataSource pool;

    ReservoirPeer(PoolSettings settings) {
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
            builder.permits(PERMITS.computeIfAbsent(settings.ration(), ReservoirPeer::permits));
        }
        this.pool = builder.build();
    }

    private static Permits permits(Ration ration) {
        return new LocalPermits(ration.ratePerSecond(), ration.burst(), new SystemTime("bench-permits"));
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
