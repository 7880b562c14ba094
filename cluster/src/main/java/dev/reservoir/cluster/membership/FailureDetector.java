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
 * Looks at other members and takes back what the dead among them held. A member is dead if its beat has not changed for long
 * enough on this process's own clock, and this process was sure of its own membership all that time; it is deleted under the
 * condition that the beat is still the same, so exactly once, whoever tries.
 *
 * <p>The members stand in a ring ({@link Roster}), and each process looks at the next few. If one of those is late, it also looks
 * beyond it, until it has seen as many that are not. So everyone is looked at by a few, whoever has died, and all processes together
 * read about as much as in quiet times. It looks beyond only while its own writes get through: if nobody can write, everybody is late.
 *
 * <p>A dead member is taken back by the nearest process before it in the ring that lives. The next ones wait for a while each, and mostly
 * find that it is done. Guarded by the desk.
 */
public final class FailureDetector {
    /** How many members that are not late each process looks at. */
    private static final int NEXT_FEW = 2;

    /** How often it looks, counted in lease times, in a small fleet; also the unit for what depends on others having looked. */
    private static final double LOOK = 1 / 12.0;

    /** The same in a large fleet. */
    private static final double LOOK_IN_A_LARGE_FLEET = 0.2;

    /** The same while somebody is overdue. */
    private static final double LOOK_AT_OVERDUE = 0.045;

    /** After how much of a lease time without a sign a member is overdue. It renews more often. */
    private static final double OVERDUE = 0.42;

    /** Who has not looked for so much of a lease time has seen nothing: if the store was away, nobody could show that it lives. */
    private static final double BLIND = 0.3;

    /** After how much of a lease time without a sign a member is dead. The rest is for noticing it. */
    private static final double DEAD = 0.67;

    /**
     * For how much of a lease time up to then this process must itself have written at short intervals. Whoever lives and is
     * late tries again several times in that time: an outage that kept it from writing is over for both, or for neither.
     */
    private static final double STEADY = 0.22;

    /** The same for looking beyond those that are late. */
    private static final double STEADY_TO_LOOK_BEYOND = 0.1;

    /** How long each further candidate waits before it takes back what a dead member held; up to twice that. */
    private static final double FALLBACK = 0.05;

    /** All shards are read once in a lease time for each hundred members: at least this often. */
    private static final double ROLL_CALL_MOST = 5;

    /** At most this often. */
    private static final double ROLL_CALL_LEAST = 1;

    /** The same while it matters how many there are. */
    private static final double ROLL_CALL_HASTY = 0.08;

    private final BudgetContext around;
    private final ClusterSettings settings;
    private final SerialExecutor serial;
    private final Time time;
    private final StoreCalls calls;
    private final Membership membership;
    private final MemberHoldings holding;
    private final RandomGenerator random;
    private final Map<String, Seen> seen = new HashMap<>();

    /** Those that are dead and not taken back yet. */
    private final Map<String, Dead> dead = new LinkedHashMap<>();

    private final Roster members = new Roster();

    /** Those at whom this look has looked so far, in the order of the ring. */
    private final Set<String> inView = new LinkedHashSet<>();

    private long lookedNanos;

    /** When all shards were last read, and when they are to be next. */
    private long rollCalledNanos;

    private long rollCallNanos;

    /** How many members the own shard had when all were last read. */
    private int shardAtRollCall;

    private boolean busy;
    private boolean closed;

    /** Whether one of those in view is overdue. */
    private boolean isOneOverdue;

    private final Set<String> takingBack = new HashSet<>();

    /** Leases that were taken back of members who have more. */
    private final Map<String, Long> takenSoFar = new HashMap<>();

    private Time.@Nullable Timer alarm;

    public FailureDetector(BudgetContext around, StoreCalls calls, Membership membership, MemberHoldings holding) {
        this.around = around;
        this.settings = around.settings();
        this.serial = around.serial();
        this.time = around.time();
        this.random = around.random();
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

    /** How many members there are, as last seen. */
    public int members() {
        return members.size();
    }

    /** The time between two looks in a small fleet. */
    public static long lookNanos(ClusterSettings settings) {
        return (long) (LOOK * settings.leaseTime().toNanos());
    }

    private void lookLater() {
        if (closed) {
            return;
        }
        double lease = settings.leaseTime().toNanos();
        double next = lease * (LOOK + around.largeness() * (LOOK_IN_A_LARGE_FLEET - LOOK));
        if (isOneOverdue) {
            next = LOOK_AT_OVERDUE * lease;
        } else {
            // One that becomes overdue is noticed when it does.
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
        boolean rollCall = time.nanos() >= rollCallNanos
                || membership.id().isEmpty()
                || (around.countsHeads()
                        && sinceRollCall
                                >= rollCallLeases(ROLL_CALL_HASTY)
                                        * settings.leaseTime().toNanos());
        List<Integer> shards = rollCall ? ItemKeys.allShards() : members.shardsOfNext(membership.id(), NEXT_FEW);
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
            called(rollCall);
            holding.looked(items.subList(shards.size(), heads));
            noteAll(ids, items.subList(heads, items.size()));
            lookFurther();
        });
    }

    /** What the shards said was read. */
    private void called(boolean rollCall) {
        around.members(members.size());
        String id = membership.id();
        int own = id.isEmpty() ? 0 : members.size(ItemKeys.shardOf(id));
        long now = time.nanos();
        if (rollCall) {
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

    /** The next ones in the ring that are not in view yet: until enough of all in view are not late, and at most so many. */
    private List<String> toLookAt(int most) {
        List<String> ids = new ArrayList<>();
        boolean beyond = membership.steadyNanos()
                >= STEADY_TO_LOOK_BEYOND * settings.leaseTime().toNanos();
        int few = 0;
        // Twice as many as before, each time: few are looked at for nothing, and all are seen soon.
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

    /** Whether it is thought not to live. That decides only on where to look. */
    private boolean isLate(String id) {
        Seen last = seen.get(id);
        return last != null && (last.late || silentNanos(last) > OVERDUE * last.leaseNanos);
    }

    /** Goes on with those beyond the ones that are late, if there are any; else the look is over. */
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
        // A read may return an old item, so a beat that goes back is no sign of life.
        if (before == null || before.beat < beat || isGone) {
            boolean late = item == null
                    || (clock().millis() - item.number(ItemKeys.RENEWED, Long.MAX_VALUE)) * 1e6 > OVERDUE * lease;
            seen.put(id, new Seen(beat, time.nanos(), time.nanos(), item, lease, late));
        } else if (before.beat == beat) {
            seen.put(id, new Seen(beat, before.sinceNanos, time.nanos(), item, lease, before.late));
        }
    }

    private StoreClock clock() {
        return around.clock();
    }

    /** For how long there was no sign of it, while this process itself was sure of being a member. */
    private long silentNanos(Seen last) {
        return time.nanos() - Math.max(last.sinceNanos, membership.sureSinceNanos());
    }

    /** Finds out who is dead, and when it is this process's turn to take back what that one held. */
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

    /** Takes back what the dead held, one after the other: all of them write the count. */
    private void takeBackSome() {
        if (membership.steadyNanos() == 0) {
            // Whatever keeps this process from writing may have kept them from it. They are looked at anew.
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
            // Its item is gone, as it should be: only its name is left.
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
                // A beat that is not its own tells it, should it live, that something was taken from it.
                List<Change> changes = new ArrayList<>(move.own());
                changes.add(Change.add(ItemKeys.BEAT, 1));
                writes.add(Write.update(key, changes, unchanged));
            }
            writes.addAll(move.others());
        }
        boolean all = whole;
        String token = around.newLongId();
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

    /** Goes on at once with a member of whom not all could be taken back, if it has not written since. */
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

    /** If the answer was lost, the next look shows what became of it. */
    private void tookBack(String id, @Nullable Item dead, boolean whole, long leases, @Nullable Answer answer) {
        if (answer == null || !answer.applied() || dead == null) {
            return;
        }
        holding.tookBack(dead);
        // Those of the transactions before, too: a member may have more than fit into one.
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
            around.members(members.size());
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
     * What was seen of a member.
     *
     * @param beat its beat; -1 if it has no item
     * @param sinceNanos when that was first seen
     * @param readNanos when it was last seen
     * @param item as it was last read
     * @param leaseNanos the lease time that counts for it
     * @param late whether it had not written for long when this beat was first seen, by what it says itself
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
     * @param item as it was last read; null if only its name is left
     * @param notBeforeNanos when it is this process's turn
     */
    private record Dead(@Nullable Item item, long notBeforeNanos) {}
}
