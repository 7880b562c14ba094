package dev.reservoir.cluster.leases;

import dev.reservoir.cluster.protocol.BudgetContext;
import dev.reservoir.cluster.protocol.ItemKeys;
import dev.reservoir.cluster.protocol.StoreCalls;
import dev.reservoir.cluster.store.Change;
import dev.reservoir.cluster.store.Condition;
import dev.reservoir.cluster.store.Write;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;

/**
 * Gives leases back to the cluster's count that lie in shards of members and that nobody takes. Each member does so for the shards in
 * its charge, whatever it holds itself: those who laid them there may be gone. Moves leases only from a shard to the count, in one
 * transaction, and only as many as lie there; so two members who both think that they are in charge do no harm. Guarded by the desk.
 */
final class UnclaimedLeases {
    private final BudgetContext around;
    private final StoreCalls calls;
    private final LongConsumer gaveBack;

    /** How many lay in each shard at the last look. */
    private Map<String, Long> before = Map.of();

    /** Leases to give back, by shard. They go one shard after the other, since each write changes the count. */
    private final Map<String, Long> waiting = new LinkedHashMap<>();

    private boolean busy;

    /** Tells {@code gaveBack}, at the desk, how many went back each time. */
    UnclaimedLeases(BudgetContext around, StoreCalls calls, LongConsumer gaveBack) {
        this.around = around;
        this.calls = calls;
        this.gaveBack = gaveBack;
    }

    /**
     * The shards in the charge of this member were read. What somebody is about to take changes from look to look; the rest goes back.
     *
     * @param lying how many leases lie in each, by the key of the item
     * @param atOnce whether all of them go back at once, because others want them
     */
    void looked(Map<String, Long> lying, boolean atOnce) {
        Map<String, Long> last = before;
        before = lying;
        waiting.clear();
        lying.forEach((shard, leases) -> {
            if (leases > 0 && (atOnce || leases.equals(last.get(shard)))) {
                waiting.put(shard, leases);
            }
        });
        next();
    }

    private void next() {
        var each = waiting.entrySet().iterator();
        if (!busy && each.hasNext()) {
            Map.Entry<String, Long> first = each.next();
            each.remove();
            giveBack(first.getKey(), first.getValue());
        }
    }

    /** If that is not done, or its answer is lost, the next look shows it. */
    private void giveBack(String shard, long leases) {
        List<Write> writes = List.of(
                Write.update(
                        shard, List.of(Change.add(ItemKeys.FREE, -leases)), Condition.atLeast(ItemKeys.FREE, leases)),
                Write.update(
                        ItemKeys.count(around.settings().cluster()),
                        List.of(
                                Change.add(ItemKeys.TOTAL, -leases),
                                Change.set(ItemKeys.UPDATED, around.clock().millis()))));
        String token = around.newLongId();
        busy = true;
        calls.send(store -> store.transact(writes, token), (answer, error, sent) -> {
            busy = false;
            if (answer != null && answer.applied()) {
                gaveBack.accept(leases);
            }
            next();
        });
    }
}
