package dev.reservoir.flightsql;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.Stats;
import dev.reservoir.flightsql.pool.RunningPool;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The pool's metrics at one instant, by name. Totals count from the start of the pool.
 *
 * @param values the metrics, in the order of the documentation
 */
public record PoolMetrics(Map<String, Double> values) {
    private static final double NANOS_PER_MILLI = 1e6;

    static PoolMetrics of(RunningPool pool) {
        Stats stats = pool.reservoir().stats();
        Map<String, Double> values = new LinkedHashMap<>();
        values.put("pool.acquire.count", (double) stats.checkouts());
        values.put("pool.acquire.wait_ms.p50", stats.waitTime().p50Nanos() / NANOS_PER_MILLI);
        values.put("pool.acquire.wait_ms.p99", stats.waitTime().p99Nanos() / NANOS_PER_MILLI);
        values.put("pool.acquire.wait_ms.max", stats.waitTime().maxNanos() / NANOS_PER_MILLI);
        values.put("pool.acquire.timeout", (double) stats.timeouts());
        values.put("pool.acquire.waiting", (double) stats.waiting());
        values.put("pool.conn.created", (double) stats.opened());
        values.put("pool.conn.dropped", (double) sum(stats.discards()));
        values.put("pool.conn.failed", (double) sum(stats.openFailures()));
        values.put("pool.conn.in_use", (double) stats.inUse());
        values.put("pool.conn.idle", (double) stats.ready());
        values.put("pool.call.retries", pool.counters().retries.doubleValue());
        values.put("pool.cancel.attempts", pool.counters().cancelAttempts.doubleValue());
        values.put("pool.cancel.confirmed", pool.counters().cancelsConfirmed.doubleValue());
        values.put("pool.handles.open", (double) pool.openHandles());
        for (DiscardReason reason : DiscardReason.values()) {
            values.put("pool.conn.dropped." + reason.label(), (double)
                    stats.discards().getOrDefault(reason, 0L));
        }
        return new PoolMetrics(Collections.unmodifiableMap(values));
    }

    private static long sum(Map<?, Long> counts) {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    /** One metric. */
    public double get(String name) {
        Double value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("no metric " + name + "; there are " + values.keySet());
        }
        return value;
    }
}
