package dev.reservoir.cluster.leases;

import dev.reservoir.cluster.membership.MemberHoldings.Move;
import dev.reservoir.cluster.protocol.BudgetContext;
import dev.reservoir.cluster.protocol.BudgetPart;
import dev.reservoir.cluster.protocol.ItemKeys;
import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Change;
import dev.reservoir.cluster.store.Condition;
import dev.reservoir.cluster.store.Item;
import dev.reservoir.cluster.store.Store;
import dev.reservoir.cluster.store.Write;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/**
 * Builds the writes for leases as Go processes count them: one counter, and one item for each lease. Leases of this
 * project name their owner. The counter is lowered only in the transaction that deletes the lease, and only if the
 * lease exists and has the expected owner. So each lease is counted off exactly once, although several processes may
 * try. A lease that was deleted in another way is not counted off at all. Never touches a lease without an owner. Used
 * only on the budget's serial executor.
 */
public final class CounterWrites extends BudgetPart {
    /** Largest number of leases in one transaction, which may also write a member, its shard and both counts. */
    public static final int LEASES_AT_ONCE = Store.WRITES_MAX - 4;

    /**
     * Time after which the table may delete a lease. Any connection that the lease may stand for is closed by then.
     * This deletion does not lower the counter. It is the last resort if the whole fleet is gone for good and nobody
     * takes back what it left.
     */
    private static final long TTL_SECONDS = 2 * 60 * 60;

    /** Number of vanished leases that are remembered. It bounds the memory. A forgotten one costs one more refusal. */
    private static final int VANISHED_MAX = 10_000;

    /** Leases that are known to be gone although a member's item may still list them. */
    private final LinkedHashSet<String> vanished = new LinkedHashSet<>();

    /** Counters that were found lower than what was to be subtracted, with their values. */
    private final Map<String, Long> tooLow = new HashMap<>();

    CounterWrites(BudgetContext context) {
        super(context);
    }

    String counterKey() {
        return ItemKeys.counter(settings, settings.endpoint());
    }

    /** Creates leases and counts them, if there is room. */
    Move take(List<String> ids, String owner, Change along) {
        long now = clock.millis();
        List<Write> writes = new ArrayList<>();
        writes.add(Write.update(
                counterKey(),
                List.of(Change.add(ItemKeys.ACTIVE, ids.size()), Change.set(ItemKeys.UPDATED, now)),
                Condition.atMost(ItemKeys.ACTIVE, settings.limit() - (long) ids.size())
                        .orAbsent()));
        for (String id : ids) {
            writes.add(Write.put(
                    ItemKeys.lease(settings, settings.endpoint(), id),
                    List.of(
                            Change.set(Store.TTL, now / 1_000 + TTL_SECONDS),
                            Change.set(ItemKeys.SERVICE, settings.serviceName()),
                            Change.set(ItemKeys.CREATED, now),
                            Change.set(ItemKeys.OWNER, owner)),
                    Condition.absent(ItemKeys.CREATED)));
        }
        return new Move(List.of(Change.include(ItemKeys.LEASE_IDS, Set.copyOf(ids)), along), writes);
    }

    /** Deletes leases of this process and lowers the counter. */
    Move giveBack(List<String> ids, String owner, Change along) {
        return new Move(
                List.of(Change.exclude(ItemKeys.LEASE_IDS, Set.copyOf(ids)), along),
                endings(settings.endpoint(), ids, owner));
    }

    /** Deletes leases and lowers the counter by those that exist. */
    List<Write> endings(String endpoint, List<String> ids, String owner) {
        List<String> there = ids.stream().filter(id -> !vanished.contains(id)).toList();
        List<Write> writes = new ArrayList<>();
        String counter = ItemKeys.counter(settings, endpoint);
        long off = Math.min(there.size(), tooLow.getOrDefault(counter, Long.MAX_VALUE));
        if (off > 0) {
            writes.add(Write.update(
                    counter,
                    List.of(Change.add(ItemKeys.ACTIVE, -off), Change.set(ItemKeys.UPDATED, clock.millis())),
                    Condition.atLeast(ItemKeys.ACTIVE, off)));
        }
        for (String id : there) {
            writes.add(Write.delete(ItemKeys.lease(settings, endpoint, id), Condition.equal(ItemKeys.OWNER, owner)));
        }
        return writes;
    }

    /** Returns by how much these writes lower the counter. */
    static long countedOff(List<Write> writes) {
        return -writes.stream()
                .flatMap(write -> write.changes().stream())
                .filter(change -> change.attribute().equals(ItemKeys.ACTIVE))
                .mapToLong(change -> (Long) Objects.requireNonNull(change.value()))
                .sum();
    }

    /** Takes back as many leases of a dead member as fit into a transaction. Only the last one deletes the member. */
    Move takeBack(String id, Item dead) {
        List<String> ids = new ArrayList<>(new TreeSet<>(dead.texts(ItemKeys.LEASE_IDS)));
        List<String> there = there(dead);
        String endpoint = Objects.requireNonNullElse(dead.text(ItemKeys.ENDPOINT), settings.endpoint());
        if (there.size() > LEASES_AT_ONCE) {
            List<String> some = there.subList(0, LEASES_AT_ONCE);
            ids.removeAll(there.subList(LEASES_AT_ONCE, there.size()));
            return new Move(List.of(Change.exclude(ItemKeys.LEASE_IDS, Set.copyOf(ids))), endings(endpoint, some, id));
        }
        List<Write> writes = endings(endpoint, there, id);
        long share = dead.number(ItemKeys.SHARE, 0);
        if (share > 0) {
            // The member counted by share. Perhaps no process that uses that count will correct it.
            writes.add(Write.update(
                    ItemKeys.count(settings.cluster()),
                    List.of(Change.add(ItemKeys.TOTAL, -share), Change.set(ItemKeys.UPDATED, clock.millis()))));
        }
        return new Move(List.of(), writes);
    }

    /** Returns how many leases {@link #takeBack} takes back from this member. */
    int atOnce(Item dead) {
        return Math.min(LEASES_AT_ONCE, there(dead).size());
    }

    private List<String> there(Item dead) {
        return new TreeSet<>(dead.texts(ItemKeys.LEASE_IDS))
                .stream().filter(id -> !vanished.contains(id)).toList();
    }

    /** Notes that leases were deleted, so the remembered counter values are out of date. */
    void ended() {
        tooLow.clear();
    }

    /** Learns why leases could not be deleted. Returns whether that gives another attempt a better chance. */
    boolean learn(List<Write> writes, Answer answer) {
        boolean learnt = false;
        for (int place : answer.refused()) {
            Write write = writes.get(place);
            if (write.kind() == Write.Kind.DELETE && ItemKeys.isLease(settings, write.key())) {
                learnt |= vanished.add(write.key().substring(write.key().lastIndexOf('#') + 1));
            } else if (ItemKeys.isCounter(settings, write.key())) {
                learnt |= learnTooLow(write, ItemKeys.number(answer.items().get(place), ItemKeys.ACTIVE));
            }
        }
        while (vanished.size() > VANISHED_MAX) {
            vanished.remove(vanished.iterator().next());
        }
        return learnt;
    }

    private boolean learnTooLow(Write write, long active) {
        long before = tooLow.getOrDefault(write.key(), Long.MAX_VALUE);
        if (active >= before) {
            return false;
        }
        tooLow.put(write.key(), Math.max(0, active));
        log.warn(
                "Reservoir: lease counter is lower than the leases it counts, see cluster repair  endpoint={} counter={}",
                settings.endpoint(),
                active);
        return true;
    }
}
