package dev.reservoir.cluster;

import dev.reservoir.cluster.store.StoreCounts;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of a cluster budget as this process sees it.
 *
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

    /**
     * Returns every number under its metric name. Numbers whose names end in {@code _total} never decrease. Does not
     * block.
     */
    public Map<String, Double> asMetrics() {
        Map<String, Double> all = new LinkedHashMap<>();
        all.put("dsql_distributed_members", (double) members);
        all.put("dsql_distributed_store_away", away ? 1.0 : 0.0);
        all.put("dsql_distributed_clock_offset_seconds", clockOffMillis / 1e3);
        if (permits != null) {
            all.put("dsql_distributed_permits_granted_total", (double) permits.granted);
            all.put("dsql_distributed_permits_waited_total", (double) permits.waited);
            all.put("dsql_distributed_permit_wait_seconds_total", permits.waitNanos / 1e9);
            all.put("dsql_distributed_permits_denied_total", (double) permits.denied);
            all.put("dsql_distributed_permits_failed_total", (double) permits.failed);
            all.put("dsql_distributed_permits_given_back_total", (double) permits.givenBack);
            all.put("dsql_distributed_permits_lapsed_total", (double) permits.lapsed);
            all.put("dsql_distributed_permits_waiting", (double) permits.waiting);
        }
        if (leases != null) {
            all.put("dsql_distributed_conn_lease_active", (double) leases.active);
            all.put("dsql_distributed_conn_lease_limit", (double) leases.limit);
            all.put("dsql_distributed_conn_lease_share", (double) leases.share);
            all.put("dsql_distributed_conn_lease_used", (double) leases.used);
            all.put("dsql_distributed_conn_lease_waiting", (double) leases.waiting);
            all.put("dsql_distributed_conn_lease_denied_total", (double) leases.denied);
            all.put("dsql_distributed_conn_lease_declared_dead_total", (double) leases.declaredDead);
            all.put("dsql_distributed_conn_lease_taken_back_total", (double) leases.takenBack);
        }
        all.put("dsql_distributed_store_calls_total", (double) calls.calls());
        all.put("dsql_distributed_store_errors_total", (double) calls.errors());
        all.put("dsql_distributed_store_throttled_total", (double) calls.throttled());
        all.put("dsql_distributed_store_conflicts_total", (double) calls.conflicts());
        all.put("dsql_distributed_store_read_units_total", calls.readUnits());
        all.put("dsql_distributed_store_write_units_total", calls.writeUnits());
        return all;
    }
}
