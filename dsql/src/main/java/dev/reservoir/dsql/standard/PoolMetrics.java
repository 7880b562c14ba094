package dev.reservoir.dsql.standard;

import com.zaxxer.hikari.HikariPoolMXBean;
import com.zaxxer.hikari.metrics.IMetricsTracker;
import com.zaxxer.hikari.metrics.MetricsTrackerFactory;
import com.zaxxer.hikari.metrics.PoolStats;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Reports the values of a HikariCP pool under the names of Go's {@code sql.DB}: open, in use and idle connections, the
 * number of waits and their total time. A checkout counts as a wait if it takes a millisecond or more, or times out.
 */
final class PoolMetrics implements MetricsTrackerFactory {
    /** Shortest checkout that counts as a wait. */
    private static final long WAITED_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final LongAdder waits = new LongAdder();
    private final LongAdder waitedNanos = new LongAdder();
    private final LongAdder timeouts = new LongAdder();

    @Override
    public IMetricsTracker create(String poolName, PoolStats stats) {
        return new IMetricsTracker() {
            @Override
            public void recordConnectionAcquiredNanos(long elapsedNanos) {
                if (elapsedNanos >= WAITED_NANOS) {
                    waits.increment();
                    waitedNanos.add(elapsedNanos);
                }
            }

            @Override
            public void recordConnectionTimeout() {
                waits.increment();
                timeouts.increment();
            }
        };
    }

    Map<String, Double> of(HikariPoolMXBean pool, int maximum) {
        Map<String, Double> all = new LinkedHashMap<>();
        all.put("dsql_pool_max_open", (double) maximum);
        all.put("dsql_pool_open", (double) pool.getTotalConnections());
        all.put("dsql_pool_in_use", (double) pool.getActiveConnections());
        all.put("dsql_pool_idle", (double) pool.getIdleConnections());
        all.put("dsql_pool_waiting", (double) pool.getThreadsAwaitingConnection());
        all.put("dsql_pool_wait_count", (double) waits.sum());
        all.put("dsql_pool_wait_duration", waitedNanos.sum() / 1e9);
        all.put("dsql_pool_timeouts_total", (double) timeouts.sum());
        return all;
    }
}
