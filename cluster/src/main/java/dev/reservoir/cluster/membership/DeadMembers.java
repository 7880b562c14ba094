package dev.reservoir.cluster.membership;

import dev.reservoir.cluster.protocol.BudgetContext;
import dev.reservoir.cluster.protocol.BudgetPart;
import dev.reservoir.cluster.protocol.ItemKeys;
import dev.reservoir.cluster.protocol.StoreCalls;
import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Change;
import dev.reservoir.cluster.store.Condition;
import dev.reservoir.cluster.store.Item;
import dev.reservoir.cluster.store.Write;
import dev.reservoir.core.util.Text;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Takes back what dead members held, and deletes them, one member at a time, because each transaction writes the count.
 * A member is deleted under the condition that its heartbeat is still the same. Does so only while this process is sure
 * of its own membership. Never decides who is dead. Used only on the budget's serial executor.
 */
final class DeadMembers extends BudgetPart {
    private final StoreCalls calls;
    private final Membership membership;
    private final MemberHoldings holding;
    private final Observations observations;
    private final Roster roster;

    /** Dead members whose leases are not taken back yet. */
    private final Map<String, Dead> waiting = new LinkedHashMap<>();

    private final Set<String> takingBack = new HashSet<>();

    /** Leases already taken back from members that still have more. */
    private final Map<String, Long> takenSoFar = new HashMap<>();

    private boolean closed;

    DeadMembers(
            BudgetContext context,
            StoreCalls calls,
            Membership membership,
            MemberHoldings holding,
            Observations observations,
            Roster roster) {
        super(context);
        this.calls = calls;
        this.membership = membership;
        this.holding = holding;
        this.observations = observations;
        this.roster = roster;
    }

    /** Takes back nothing more. */
    void close() {
        closed = true;
    }

    boolean isTakingBack(String id) {
        return takingBack.contains(id);
    }

    /** Adds a dead member. The wait counts from when it was first added. */
    void add(String id, @Nullable Item item, long waitNanos) {
        Dead before = waiting.get(id);
        waiting.put(id, new Dead(item, before == null ? time.nanos() + waitNanos : before.notBeforeNanos));
    }

    /** Removes a member that is not dead, or that another process may have taken back. */
    void remove(String id) {
        waiting.remove(id);
    }

    /** Removes all members but these. */
    void keepOnly(Set<String> ids) {
        waiting.keySet().retainAll(ids);
    }

    void clear() {
        waiting.clear();
    }

    /** Takes back what the next dead member held, if its wait is over and nothing else is under way. */
    void takeBackNext() {
        if (membership.steadyNanos() == 0) {
            // Whatever keeps this process from writing may also have kept them from writing. Judge them again.
            waiting.clear();
        }
        var each = waiting.entrySet().iterator();
        while (takingBack.isEmpty() && each.hasNext() && membership.isSure() && !closed) {
            Map.Entry<String, Dead> next = each.next();
            if (next.getValue().notBeforeNanos <= time.nanos()) {
                each.remove();
                takeBack(next.getKey(), next.getValue().item);
            }
        }
    }

    private void takeBack(String id, @Nullable Item dead) {
        String key = ItemKeys.member(settings.cluster(), id);
        Write unlisted = ItemKeys.unlist(settings.cluster(), id);
        List<Write> writes = new ArrayList<>();
        boolean whole = true;
        if (dead == null) {
            // The member's item is gone, as it should be. Only its id is left in the shard.
            writes.add(Write.check(key, Condition.absent(ItemKeys.BEAT)));
            writes.add(unlisted);
        } else {
            Condition unchanged = Condition.equal(ItemKeys.BEAT, dead.number(ItemKeys.BEAT, 0));
            MemberHoldings.Move move = holding.takingBack(id, dead);
            whole = move.own().isEmpty();
            if (whole) {
                writes.add(Write.delete(key, unchanged));
                writes.add(unlisted);
            } else {
                // A heartbeat that it did not write tells the member, if it lives, that something was taken from it.
                List<Change> changes = new ArrayList<>(move.own());
                changes.add(Change.add(ItemKeys.BEAT, 1));
                writes.add(Write.update(key, changes, unchanged));
            }
            writes.addAll(move.others());
        }
        boolean all = whole;
        String token = context.newLongId();
        takingBack.add(id);
        calls.send(store -> store.transact(writes, token), (answer, error, sent) -> {
            takingBack.remove(id);
            tookBack(id, dead, all, leasesIn(writes), answer);
            if (answer != null && dead != null && !answer.applied() && holding.notTakenBack(writes, answer)) {
                takeMore(id, dead.number(ItemKeys.BEAT, 0));
            }
            takeBackNext();
        });
    }

    /** Continues at once with a member whose leases could not all be taken back, unless it has written since. */
    private void takeMore(String id, long beat) {
        String key = ItemKeys.member(settings.cluster(), id);
        takingBack.add(id);
        calls.send(store -> store.read(List.of(key), true), (answer, error, sent) -> {
            takingBack.remove(id);
            Item item = answer == null ? null : answer.item();
            if (item != null && item.number(ItemKeys.BEAT, 0) == beat && membership.isSure() && !closed) {
                takeBack(id, item);
            }
            takeBackNext();
        });
    }

    private long leasesIn(List<Write> writes) {
        return writes.stream()
                .filter(write -> write.kind() == Write.Kind.DELETE)
                .filter(write -> ItemKeys.isLease(settings, write.key()))
                .count();
    }

    /** Handles the answer to a take-back. If it was lost, the next check shows whether the write was applied. */
    private void tookBack(String id, @Nullable Item dead, boolean whole, long leases, @Nullable Answer answer) {
        if (answer == null || !answer.applied() || dead == null) {
            return;
        }
        holding.tookBack(dead);
        // Include the transactions before this one, because a member may hold more than one transaction can take back.
        long taken = leases + takenSoFar.getOrDefault(id, 0L);
        takenSoFar.keySet().removeIf(other -> !roster.contains(other));
        if (!whole) {
            takenSoFar.put(id, taken);
            long beat = dead.number(ItemKeys.BEAT, 0) + 1;
            observations.changedBeat(id, beat);
            takeMore(id, beat);
        } else {
            long silentNanos = observations.unchangedNanos(id);
            takenSoFar.remove(id);
            roster.remove(id);
            context.members(roster.size());
            observations.forget(id);
            log.info(
                    "Reservoir: leases of a dead process taken back  endpoint={} member={} service={} host={} leases={} silent=\"{}\"",
                    settings.cluster(),
                    id,
                    dead.text(ItemKeys.SERVICE),
                    dead.text(ItemKeys.HOST),
                    taken + dead.number(ItemKeys.SHARE, 0),
                    Text.nanos(silentNanos));
        }
    }

    /**
     * A member that is dead.
     *
     * @param item the item as last read; null if only the member's id is left
     * @param notBeforeNanos the earliest time at which this process may take back what the member held
     */
    private record Dead(@Nullable Item item, long notBeforeNanos) {}
}
