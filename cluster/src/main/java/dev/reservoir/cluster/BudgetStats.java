package dev.reservoir.cluster;

import dev.reservoir.cluster.store.StoreCounts;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A cluster budget at one moment, as this process sees it.
 *
 * @param endpoint the cluster
 * @param member by what id this process is known in the store; empty before it has joined
 * @param members how many processes share the budget, as last seen; 0 if that is not known
 * @param away whether the store does not answer
 * @param clockOffMillis by how much this machine's clock is ahead of the store's, at least; negative if it is behind; 0 if it agrees as far as can
 *     be told
 * @param permits of new connections, or null if they are not rationed by this budget
 * @param leases of open connections, or null if they are not rationed by this budget
 * @param calls calls to the store
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
     * Permits, counted since the start.
     *
     * @param granted given to a reservoir
     * @param waited those of them that took longer than a tenth of a second
     * @param waitNanos how long these waited together
     * @param denied times the store said that there is no slot within reach
     * @param failed requests that ended without a permit
     * @param givenBack slots that were reserved, not needed, and returned to the cluster
     * @param lapsed slots that were reserved and not used by anyone
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
     * Leases.
     *
     * @param share how many connections this process may hold
     * @param used how many it holds, or is about to open
     * @param waiting requests that wait now
     * @param active how many the whole cluster may hold together now, as last seen
     * @param limit how many it may hold at most
     * @param denied times there was none to be had
     * @param declaredDead times other processes took this one for dead
     * @param takenBack leases of dead processes that this one took back
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

    /** Every number under the name that it has as a metric; those that end in {@code _total} only grow. */
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
