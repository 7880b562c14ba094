package dev.reservoir.bench.cluster;

import dev.reservoir.cluster.store.Change;
import dev.reservoir.cluster.store.Condition;
import dev.reservoir.cluster.store.Write;
import java.util.List;

/** The items of Go processes, and the writes that these processes make. */
record GoItems(String cluster, String service, int ratePerSecond, int limit) {
    static final String PREFIX = "dsql";
    static final String WINDOW = PREFIX + "connect";
    static final String COUNTER = PREFIX + "lease_counter";
    static final String LEASE = PREFIX + "lease";

    private static final long TTL_SECONDS = 180;

    /** Takes one permit of the current second. */
    Write permit(long nowMillis) {
        return Write.update(
                WINDOW + "#" + cluster + "#" + nowMillis / 1_000,
                List.of(
                        Change.set("updated_at_ms", nowMillis),
                        Change.set("ttl_epoch", nowMillis / 1_000 + TTL_SECONDS),
                        Change.add("count", 1)),
                Condition.atMost("count", ratePerSecond - 1).orAbsent());
    }

    List<Write> acquire(String leaseId, long nowMillis) {
        return List.of(
                Write.update(
                        COUNTER + "#" + cluster,
                        List.of(Change.add("active", 1), Change.set("updated_ms", nowMillis)),
                        Condition.less("active", limit).orAbsent()),
                Write.put(
                        lease(leaseId),
                        List.of(
                                Change.set("ttl_epoch", nowMillis / 1_000 + TTL_SECONDS),
                                Change.set("service_name", service),
                                Change.set("created_ms", nowMillis))));
    }

    List<Write> release(String leaseId, long nowMillis) {
        return List.of(
                Write.delete(lease(leaseId)),
                Write.update(
                        COUNTER + "#" + cluster,
                        List.of(Change.add("active", -1), Change.set("updated_ms", nowMillis)),
                        Condition.atLeast("active", 1)));
    }

    private String lease(String leaseId) {
        return LEASE + "#" + cluster + "#" + leaseId;
    }
}
