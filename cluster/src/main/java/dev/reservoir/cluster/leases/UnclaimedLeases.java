package dev.reservoir.cluster.leases;

import dev.reservoir.cluster.protocol.BudgetContext;
import dev.reservoir.cluster.protocol.BudgetPart;
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
 * Moves unclaimed leases that no member takes from the shards of the member list back to the cluster's count. Each
 * member does so for the shards that it is in charge of, whatever it holds itself, because the members that put them
 * there may be gone. Never moves leases in another direction, and never more than the shard has, in one transaction. So
 * it does no harm if two members both consider themselves in charge. Used only on the budget's serial executor.
 */
final class UnclaimedLeases extends BudgetPart {
    private final StoreCalls calls;
    private final LongConsumer returned;

    /** The number of unclaimed leases in each shard at the last check. */
    private Map<String, Long> before = Map.of();

    /** Leases to return, by shard. The shards are handled one after the other, because each write changes the count. */
    private final Map<String, Long> waiting = new LinkedHashMap<>();

    private boolean busy;

    /** Calls {@code returned} on the serial executor with the number of leases returned each time. */
    UnclaimedLeases(BudgetContext context, StoreCalls calls, LongConsumer returned) {
        super(context);
        this.calls = calls;
        this.returned = returned;
    }

    /**
     * Handles a read of the shards that this member is in charge of. While members take leases from a shard, its number
     * changes between two checks. Leases in shards whose number has not changed are returned.
     *
     * @param unclaimed the number of unclaimed leases in each shard, by the key of the item
     * @param atOnce whether to return all of them at once, because other processes want them
     */
    void shardsRead(Map<String, Long> unclaimed, boolean atOnce) {
        Map<String, Long> last = before;
        before = unclaimed;
        waiting.clear();
        unclaimed.forEach((shard, leases) -> {
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

    /** Returns leases to the count. If the write is not applied, or its answer is lost, the next check shows it. */
    private void giveBack(String shard, long leases) {
        List<Write> writes = List.of(
                Write.update(
                        shard, List.of(Change.add(ItemKeys.FREE, -leases)), Condition.atLeast(ItemKeys.FREE, leases)),
                Write.update(
                        ItemKeys.count(settings.cluster()),
                        List.of(Change.add(ItemKeys.TOTAL, -leases), Change.set(ItemKeys.UPDATED, clock.millis()))));
        String token = context.newLongId();
        busy = true;
        calls.send(store -> store.transact(writes, token), (answer, error, sent) -> {
            busy = false;
            if (answer != null && answer.applied()) {
                returned.accept(leases);
            }
            next();
        });
    }
}
