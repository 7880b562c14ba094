package dev.reservoir.cluster.membership;

import dev.reservoir.cluster.ClusterSettings;
import dev.reservoir.cluster.protocol.BudgetContext;
import dev.reservoir.cluster.protocol.ItemKeys;
import dev.reservoir.cluster.protocol.SerialExecutor;
import dev.reservoir.cluster.protocol.StoreCalls;
import dev.reservoir.cluster.protocol.StoreClock;
import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Change;
import dev.reservoir.cluster.store.Condition;
import dev.reservoir.cluster.store.Item;
import dev.reservoir.cluster.store.Store;
import dev.reservoir.cluster.store.Write;
import dev.reservoir.core.spi.Time;
import dev.reservoir.core.util.Text;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Reads the items of other members and takes back what dead members held. A member is dead if its heartbeat has not
 * changed for long enough on this process's own clock. This process must also have been sure of its own membership all
 * that time. The detector deletes a dead member under the condition that its heartbeat is still the same. So each dead
 * member is deleted exactly once, although several processes may try.
 *
 * <p>The members form a ring ({@link Roster}), and each process checks the next few. If one of them is late, the
 * process also checks members beyond it, until it has seen enough that are not late. So a few processes check each
 * member even if many have died, and all processes together read about as much as in quiet times. A process checks
 * further only while its own writes get through. If no process can write, every member is late.
 *
 * <p>The nearest living process before a dead member in the ring takes back what it held. Each further process waits a
 * little longer and usually finds that the work is done. Used only on the budget's serial executor. Never blocks.
 */
public final class FailureDetector {
    /**
     * Number of members that are not late that each process checks. Each member then has two processes that check it.
     */
    private static final int NEXT_FEW = 2;

    /**
     * Time between two checks in a small fleet, in lease times. It is also the unit for times that depend on other
     * processes having checked.
     */
    private static final double LOOK = 1 / 12.0;

    /** Time between two checks in a large fleet, in lease times. It is longer, to limit the number of reads. */
    private static final double LOOK_IN_A_LARGE_FLEET = 0.2;

    /** Time between two checks while a member is overdue, in lease times. */
    private static final double LOOK_AT_OVERDUE = 0.045;

    /** A member is overdue after this part of a lease time without a heartbeat. Members renew more often than that. */
    private static final double OVERDUE = 0.42;

    /**
     * After this part of a lease time without a successful read, the process forgets what it saw of the others. If the
     * store was away, no member could write a heartbeat.
     */
    private static final double BLIND = 0.3;

    /**
     * A member is dead after this part of a lease time without a heartbeat. The rest of the lease time is for noticing
     * it.
     */
    private static final double DEAD = 0.67;

    /**
     * Before it declares a member dead, this process must itself have written at short intervals for this part of a
     * lease time. A living member that is late tries several times in that time. An outage that kept the member from
     * writing is over for both or for neither.
     */
    private static final double STEADY = 0.22;

    /**
     * The same for checking members beyond those that are late. A shorter time is enough, since this only decides what
     * to read.
     */
    private static final double STEADY_TO_LOOK_BEYOND = 0.1;

    /**
     * How long each further process waits before it takes back what a dead member held, in lease times. Jitter makes it
     * up to twice as long.
     */
    private static final double FALLBACK = 0.05;

    /**
     * Longest time between two reads of all shards, in lease times. The time is one lease time for each hundred
     * members.
     */
    private static final double ROLL_CALL_MOST = 5;

    /** Shortest time between two reads of all shards, in lease times. */
    private static final double ROLL_CALL_LEAST = 1;

    /** Shortest time between two reads of all shards while the number of members matters, in lease times. */
    private static final double ROLL_CALL_HASTY = 0.08;

    private final BudgetContext context;
    private final ClusterSettings settings;
    private final SerialExecutor serial;
    private final Time time;
    private final StoreCalls calls;
    private final Membership membership;
    private final MemberHoldings holding;
    private final RandomGenerator random;
    private final Map<String, Seen> seen = new HashMap<>();

    /** Dead members whose leases are not taken back yet. */
    private final Map<String, Dead> dead = new LinkedHashMap<>();

    private final Roster members = new Roster();

    /** The members that the current check has read or is reading, in the order of the ring. */
    private final Set<String> inView = new LinkedHashSet<>();

    private long lookedNanos;

    /** When all shards were last read. {@code rollCallNanos} says when they are due again. */
    private long rollCalledNanos;

    private long rollCallNanos;

    /** Number of members in this process's own shard when all shards were last read. */
    private int shardAtRollCall;

    private boolean busy;
    private boolean closed;

    /** Whether at least one of the checked members is overdue. */
    private boolean isOneOverdue;

    private final Set<String> takingBack = new HashSet<>();

    /** Leases already taken back from members that still have more. */
    private final Map<String, Long> takenSoFar = new HashMap<>();

    private Time.@Nullable Timer alarm;

    public FailureDetector(BudgetContext context, StoreCalls calls, Membership membership, MemberHoldings holding) {
        this.context = context;
        this.settings = context.settings();
        this.serial = context.serial();
        this.time = context.time();
        this.random = context.random();
        this.calls = calls;
        this.membership = membership;
        this.holding = holding;
        this.rollCallNanos = time.nanos();
    }

    public void start() {
        look();
    }

    public void close() {
        closed = true;
        if (alarm != null) {
            alarm.cancel();
        }
    }

    /** Returns the number of members as last seen; 0 until all shards have been read. */
    public int members() {
        return members.size();
    }

    /** Returns the time between two checks in a small fleet. */
    public static long lookNanos(ClusterSettings settings) {
        return (long) (LOOK * settings.leaseTime().toNanos());
    }

    private void lookLater() {
        if (closed) {
            return;
        }
        double lease = settings.leaseTime().toNanos();
        double next = lease * (LOOK + context.largeness() * (LOOK_IN_A_LARGE_FLEET - LOOK));
        if (isOneOverdue) {
            next = LOOK_AT_OVERDUE * lease;
        } else {
            // Check again when the next member becomes overdue, if that is earlier.
            for (String id : inView) {
                Seen one = seen.get(id);
                if (one != null) {
                    double left = OVERDUE * one.leaseNanos - silentNanos(one);
                    next = Math.min(next, Math.max(LOOK_AT_OVERDUE * lease, left));
                }
            }
        }
        alarm = time.schedule((long) (next * (0.9 + random.nextDouble() / 10)), () -> serial.enter(this::look));
    }

    private void look() {
        if (closed || busy) {
            return;
        }
        busy = true;
        long sinceRollCall = time.nanos() - rollCalledNanos;
        boolean readsAllShards = time.nanos() >= rollCallNanos
                || membership.id().isEmpty()
                || (context.countsHeads()
                        && sinceRollCall
                                >= rollCallLeases(ROLL_CALL_HASTY)
                                        * settings.leaseTime().toNanos());
        List<Integer> shards = readsAllShards ? ItemKeys.allShards() : members.shardsOfNext(membership.id(), NEXT_FEW);
        List<String> keys = new ArrayList<>();
        shards.forEach(shard -> keys.add(ItemKeys.members(settings.cluster(), shard)));
        keys.addAll(holding.watched());
        int heads = keys.size();
        forgetIfBlind();
        inView.clear();
        List<String> ids = toLookAt(Store.KEYS_MOST - heads);
        ids.forEach(id -> keys.add(ItemKeys.member(settings.cluster(), id)));
        calls.send(store -> store.read(keys, false), (answer, error, sent) -> {
            if (answer == null) {
                busy = false;
                lookLater();
                return;
            }
            lookedNanos = time.nanos();
            List<@Nullable Item> items = answer.items();
            for (int i = 0; i < shards.size(); i++) {
                members.read(shards.get(i), items.get(i));
            }
            called(readsAllShards);
            holding.looked(items.subList(shards.size(), heads));
            noteAll(ids, items.subList(heads, items.size()));
            lookFurther();
        });
    }

    /** Evaluates the shards that were just read. */
    private void called(boolean readsAllShards) {
        context.members(members.size());
        String id = membership.id();
        int own = id.isEmpty() ? 0 : members.size(ItemKeys.shardOf(id));
        long now = time.nanos();
        if (readsAllShards) {
            shardAtRollCall = own;
            double leases = rollCallLeases(ROLL_CALL_LEAST);
            rollCalledNanos = now;
            rollCallNanos = now + (long) (leases * settings.leaseTime().toNanos() * (0.75 + random.nextDouble() / 2));
        } else if (Math.abs(own - shardAtRollCall) > 1 + shardAtRollCall / 4) {
            rollCallNanos = now;
        }
        if (!id.isEmpty()) {
            Map<String, Long> inCharge = new LinkedHashMap<>();
            for (int shard : members.inChargeOf(id)) {
                inCharge.put(ItemKeys.members(settings.cluster(), shard), members.free(shard));
            }
            holding.lyingInShards(members.free(ItemKeys.shardOf(id)), inCharge);
        }
    }

    private double rollCallLeases(double least) {
        return Math.min(ROLL_CALL_MOST, Math.max(least, members.size() / 100.0));
    }

    private void forgetIfBlind() {
        if (time.nanos() - lookedNanos > BLIND * settings.leaseTime().toNanos()) {
            seen.clear();
            dead.clear();
        }
    }

    /**
     * Returns the next members in the ring that this check has not read yet. Stops when enough of all checked members
     * are not late, and returns at most {@code most}.
     */
    private List<String> toLookAt(int most) {
        List<String> ids = new ArrayList<>();
        boolean beyond = membership.steadyNanos()
                >= STEADY_TO_LOOK_BEYOND * settings.leaseTime().toNanos();
        int few = 0;
        // Double the number each time: few members are read in vain, and all are seen soon.
        int more = inView.isEmpty() ? most : Math.min(most, Math.max(NEXT_FEW, inView.size()));
        Iterator<String> ring = members.after(membership.id());
        while (few < NEXT_FEW && ring.hasNext() && ids.size() < more) {
            String id = ring.next();
            if (!inView.contains(id)) {
                ids.add(id);
            }
            few += beyond && isLate(id) ? 0 : 1;
        }
        inView.addAll(ids);
        return ids;
    }

    /** Whether the member is probably dead. This only decides which members to read. */
    private boolean isLate(String id) {
        Seen last = seen.get(id);
        return last != null && (last.late || silentNanos(last) > OVERDUE * last.leaseNanos);
    }

    /** Reads the members beyond those that are late, if there are any. Otherwise the check is complete. */
    private void lookFurther() {
        List<String> ids = closed ? List.of() : toLookAt(Store.KEYS_MOST);
        if (ids.isEmpty()) {
            over();
            return;
        }
        List<String> keys =
                ids.stream().map(id -> ItemKeys.member(settings.cluster(), id)).toList();
        calls.send(store -> store.read(keys, false), (answer, error, sent) -> {
            if (answer == null) {
                over();
            } else {
                noteAll(ids, answer.items());
                lookFurther();
            }
        });
    }

    private void over() {
        busy = false;
        long blind = time.nanos() - (long) (BLIND * settings.leaseTime().toNanos());
        seen.values().removeIf(last -> last.readNanos < blind);
        dead.keySet().retainAll(inView);
        judge();
        membership.witness(isOneOverdue);
        takeBackSome();
        lookLater();
    }

    private void noteAll(List<String> ids, List<@Nullable Item> items) {
        for (int i = 0; i < ids.size(); i++) {
            note(ids.get(i), items.get(i));
        }
    }

    private void note(String id, @Nullable Item item) {
        long beat = item == null ? -1 : item.number(ItemKeys.BEAT, 0);
        double lease = ItemKeys.leaseNanos(item, settings.leaseTime());
        Seen before = seen.get(id);
        boolean isGone = item == null && before != null && before.beat >= 0;
        // A read may return an old item, so a heartbeat that goes back is no sign of life.
        if (before == null || before.beat < beat || isGone) {
            boolean late = item == null
                    || (clock().millis() - item.number(ItemKeys.RENEWED, Long.MAX_VALUE)) * 1e6 > OVERDUE * lease;
            seen.put(id, new Seen(beat, time.nanos(), time.nanos(), item, lease, late));
        } else if (before.beat == beat) {
            seen.put(id, new Seen(beat, before.sinceNanos, time.nanos(), item, lease, before.late));
        }
    }

    private StoreClock clock() {
        return context.clock();
    }

    /** Returns how long a member has written no heartbeat while this process itself was sure of its membership. */
    private long silentNanos(Seen last) {
        return time.nanos() - Math.max(last.sinceNanos, membership.sureSinceNanos());
    }

    /** Decides which members are dead, and when this process may take back what they held. */
    private void judge() {
        isOneOverdue = false;
        int candidatesBefore = 0;
        double fallback = FALLBACK * settings.leaseTime().toNanos();
        for (String id : inView) {
            Seen last = seen.get(id);
            isOneOverdue |= isLate(id) && membership.isSure();
            if (last == null || !isDead(last) || id.equals(membership.id())) {
                dead.remove(id);
            } else if (!takingBack.contains(id)) {
                long wait = (long) (candidatesBefore * fallback * (1 + random.nextDouble()));
                Dead before = dead.get(id);
                dead.put(id, new Dead(last.item, before == null ? time.nanos() + wait : before.notBeforeNanos));
            }
            candidatesBefore += isLate(id) ? 0 : 1;
        }
    }

    private boolean isDead(Seen last) {
        return silentNanos(last) >= DEAD * last.leaseNanos && membership.steadyNanos() >= STEADY * last.leaseNanos;
    }

    /**
     * Takes back what the dead members held. Handles one member at a time, because each transaction writes the count.
     */
    private void takeBackSome() {
        if (membership.steadyNanos() == 0) {
            // Whatever keeps this process from writing may also have kept them from writing. Judge them again.
            dead.clear();
        }
        var each = dead.entrySet().iterator();
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
        Write outOfTheSet = Write.update(
                ItemKeys.membersWith(settings.cluster(), id), List.of(Change.exclude(ItemKeys.IDS, Set.of(id))));
        List<Write> writes = new ArrayList<>();
        boolean whole = true;
        if (dead == null) {
            // The member's item is gone, as it should be. Only its id is left in the shard.
            writes.add(Write.check(key, Condition.absent(ItemKeys.BEAT)));
            writes.add(outOfTheSet);
        } else {
            Condition unchanged = Condition.equal(ItemKeys.BEAT, dead.number(ItemKeys.BEAT, 0));
            MemberHoldings.Move move = holding.takingBack(id, dead);
            whole = move.own().isEmpty();
            if (whole) {
                writes.add(Write.delete(key, unchanged));
                writes.add(outOfTheSet);
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
            takeBackSome();
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
            takeBackSome();
        });
    }

    private static long leasesIn(List<Write> writes) {
        return writes.stream()
                .filter(write -> write.kind() == Write.Kind.DELETE)
                .filter(write -> write.key().startsWith(ItemKeys.LEASE_PREFIX))
                .count();
    }

    /**
     * Handles the answer to a take-back. If the answer was lost, the next check shows whether the write was applied.
     */
    private void tookBack(String id, @Nullable Item dead, boolean whole, long leases, @Nullable Answer answer) {
        if (answer == null || !answer.applied() || dead == null) {
            return;
        }
        holding.tookBack(dead);
        // Include the transactions before this one, because a member may hold more than one transaction can take back.
        long taken = leases + takenSoFar.getOrDefault(id, 0L);
        takenSoFar.keySet().removeIf(other -> !members.contains(other));
        if (!whole) {
            takenSoFar.put(id, taken);
            long beat = dead.number(ItemKeys.BEAT, 0) + 1;
            Seen before = seen.get(id);
            if (before != null) {
                seen.put(
                        id,
                        new Seen(
                                beat,
                                before.sinceNanos,
                                before.readNanos,
                                before.item,
                                before.leaseNanos,
                                before.late));
            }
            takeMore(id, beat);
        } else {
            Seen last = seen.get(id);
            long silentNanos = last == null ? 0 : time.nanos() - last.sinceNanos;
            takenSoFar.remove(id);
            members.remove(id);
            context.members(members.size());
            seen.remove(id);
            settings.log()
                    .info(
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
     * The observations of one member.
     *
     * @param beat the member's heartbeat; -1 if it has no item
     * @param sinceNanos when this heartbeat was first seen
     * @param readNanos when it was last seen
     * @param item the item as last read
     * @param leaseNanos the lease time that applies to the member
     * @param late whether, by the member's own timestamp, the heartbeat was already overdue when it was first seen
     */
    private record Seen(
            long beat,
            long sinceNanos,
            long readNanos,
            @Nullable Item item,
            double leaseNanos,
            boolean late) {}

    /**
     * A member that is dead.
     *
     * @param item the item as last read; null if only the member's id is left
     * @param notBeforeNanos the earliest time at which this process may take back what the member held
     */
    private record Dead(@Nullable Item item, long notBeforeNanos) {}
}
