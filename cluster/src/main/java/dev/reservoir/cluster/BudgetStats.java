package dev.reservoir.cluster;

import dev.reservoir.cluster.store.StoreCounts;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of a cluster budget as this process sees it.
 *
 * @param metricPrefix the beginning of the name of every metric
 * @param endpoint the cluster
 * @param member the id of this process in the store; empty before it has joined
 * @param members the number of processes that share the budget, as last seen; 0 if it is not known
 * @param away whether the store does not answer
 * @param clockOffMillis how far this machine's clock is ahead of the store's clock, at least; negative if it is behind;
 *     0 if no difference can be detected
 * @param permits the permits for new connections, or null if this budget does not ration them
 * @param leases the leases of open connections, or null if this budget does not ration them
 * @param calls the calls to the store
 */
public record BudgetStats(
        String metricPrefix,
        String endpoint,
        String member,
        int members,
        boolean away,
        long clockOffMillis,
        @Nullable Permits permits,
        @Nullable Leases leases,
        StoreCounts calls) {

    /**
     * Permits, counted since the start of the process.
     *
     * @param granted permits granted to pools
     * @param waited granted permits that took longer than 100 ms
     * @param waitNanos total time that these permits took
     * @param denied how often the store said that no slot is within reach
     * @param failed requests that ended without a permit
     * @param givenBack slots that were reserved, were not needed, and were returned to the cluster
     * @param lapsed slots that were reserved and that nobody used
     * @param waiting requests that wait now
     */
    public record Permits(
            long granted,
            long waited,
            long waitNanos,
            long denied,
            long failed,
            long givenBack,
            long lapsed,
            int waiting) {}

    /**
     * Leases. The counters count since the start of the process.
     *
     * @param share how many connections this process may hold
     * @param used how many connections this process holds or is about to open
     * @param waiting requests that wait now
     * @param active how many leases are taken in the whole cluster, as last seen
     * @param limit how many leases the cluster has
     * @param denied how often no lease was available
     * @param declaredDead how often other processes took this process for dead
     * @param takenBack leases that this process took back from dead processes
     */
    public record Leases(
            int share,
            int used,
            int waiting,
            long active,
            long limit,
            long denied,
            long declaredDead,
            long takenBack) {}

    /** Returns every number under its metric name. Those that end in {@code _total} never decrease. Does not block. */
    public Map<String, Double> asMetrics() {
        Map<String, Double> all = new LinkedHashMap<>();
        put(all, "members", members);
        put(all, "store_away", away ? 1.0 : 0.0);
        put(all, "clock_offset_seconds", clockOffMillis / 1e3);
        if (permits != null) {
            put(all, "permits_granted_total", permits.granted);
            put(all, "permits_waited_total", permits.waited);
            put(all, "permit_wait_seconds_total", permits.waitNanos / 1e9);
            put(all, "permits_denied_total", permits.denied);
            put(all, "permits_failed_total", permits.failed);
            put(all, "permits_given_back_total", permits.givenBack);
            put(all, "permits_lapsed_total", permits.lapsed);
            put(all, "permits_waiting", permits.waiting);
        }
        if (leases != null) {
            put(all, "conn_lease_active", leases.active);
            put(all, "conn_lease_limit", leases.limit);
            put(all, "conn_lease_share", leases.share);
            put(all, "conn_lease_used", leases.used);
            put(all, "conn_lease_waiting", leases.waiting);
            put(all, "conn_lease_denied_total", leases.denied);
            put(all, "conn_lease_declared_dead_total", leases.declaredDead);
            put(all, "conn_lease_taken_back_total", leases.takenBack);
        }
        put(all, "store_calls_total", calls.calls());
        put(all, "store_errors_total", calls.errors());
        put(all, "store_throttled_total", calls.throttled());
        put(all, "store_conflicts_total", calls.conflicts());
        put(all, "store_read_units_total", calls.readUnits());
        put(all, "store_write_units_total", calls.writeUnits());
        return all;
    }

    private void put(Map<String, Double> all, String name, Number value) {
        all.put(metricPrefix + name, value.doubleValue());
    }
}
