package dev.reservoir.cluster.membership;

import dev.reservoir.cluster.ClusterSettings;
import dev.reservoir.cluster.protocol.BudgetContext;
import dev.reservoir.cluster.protocol.BudgetPart;
import dev.reservoir.cluster.protocol.ItemKeys;
import dev.reservoir.cluster.protocol.StoreCalls;
import dev.reservoir.cluster.store.Item;
import dev.reservoir.cluster.store.Store;
import dev.reservoir.core.spi.Time;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Reads the items of other members regularly and finds those that are dead. A member is dead if its heartbeat has not
 * changed for long enough on this process's own clock ({@link Observations}). This process must also have been sure of
 * its own membership all that time. A dead member is deleted under the condition that its heartbeat is still the same
 * ({@link DeadMembers}). So each dead member is deleted exactly once, although several processes may try.
 *
 * <p>The members form a ring ({@link Roster}), and each process checks the next few. If one of them is late, the
 * process also checks members beyond it, until it has seen enough that are not late. So a few processes check each
 * member even if many have died, and all processes together read about as much as in quiet times. A process checks
 * further only while its own writes get through. If no process can write, every member is late.
 *
 * <p>The nearest living process before a dead member in the ring takes back what it held. Each further process waits a
 * little longer and usually finds that the work is done. Used only on the budget's serial executor. Never blocks.
 */
public final class FailureDetector extends BudgetPart {
    /** Number of members that are not late that each process checks. Each member then has two that check it. */
    private static final int NEXT_FEW = 2;

    /** Time between two checks in a small fleet, in lease times. Also the unit of waits for what others check. */
    private static final double CHECK = 1 / 12.0;

    /** Time between two checks in a large fleet, in lease times. It is longer, to limit the number of reads. */
    private static final double CHECK_IN_A_LARGE_FLEET = 0.2;

    /** Time between two checks while a member is overdue, in lease times. */
    private static final double CHECK_WHILE_OVERDUE = 0.045;

    /**
     * To check members beyond those that are late, this process must itself have written at short intervals for this
     * part of a lease time. It is shorter than before a member is declared dead, since this only decides what to read.
     */
    private static final double STEADY_TO_CHECK_BEYOND = 0.1;

    /** How long each further process waits before it takes back from a dead member, in lease times, or up to twice. */
    private static final double FALLBACK = 0.05;

    /** Longest time between two reads of all shards, in lease times. The time is one for each hundred members. */
    private static final double ALL_SHARDS_MAX = 5;

    /** Shortest time between two reads of all shards, in lease times. */
    private static final double ALL_SHARDS_MIN = 1;

    /** Shortest time between two reads of all shards while the number of members matters, in lease times. */
    private static final double ALL_SHARDS_MIN_IF_COUNTED = 0.08;

    private final StoreCalls calls;
    private final Membership membership;
    private final MemberHoldings holding;
    private final RandomGenerator random;
    private final double leaseNanos;
    private final Roster members = new Roster();
    private final Observations observations;
    private final DeadMembers dead;

    /** The members that the current check has read or is reading, in the order of the ring. */
    private final Set<String> inView = new LinkedHashSet<>();

    private long checkedNanos;

    /** When all shards were last read, and when they are due again. */
    private long allShardsReadNanos;

    private long allShardsDueNanos;

    /** Number of members in this process's own shard when all shards were last read. */
    private int ownShardSize;

    private boolean busy;
    private boolean closed;

    /** Whether at least one of the checked members is overdue. */
    private boolean isOneOverdue;

    private Time.@Nullable Timer alarm;

    public FailureDetector(BudgetContext context, StoreCalls calls, Membership membership, MemberHoldings holding) {
        super(context);
        this.leaseNanos = settings.leaseTime().toNanos();
        this.random = context.random();
        this.calls = calls;
        this.membership = membership;
        this.holding = holding;
        this.observations = new Observations(context, membership);
        this.dead = new DeadMembers(context, calls, membership, holding, observations, members);
        this.allShardsDueNanos = time.nanos();
    }

    public void close() {
        closed = true;
        dead.close();
        if (alarm != null) {
            alarm.cancel();
        }
    }

    /** Returns the number of members as last seen; 0 until all shards have been read. */
    public int members() {
        return members.size();
    }

    /** Returns the time between two checks in a small fleet. */
    public static long checkNanos(ClusterSettings settings) {
        return (long) (CHECK * settings.leaseTime().toNanos());
    }

    private void checkLater() {
        if (closed) {
            return;
        }
        double next = leaseNanos * (CHECK + context.largeness() * (CHECK_IN_A_LARGE_FLEET - CHECK));
        if (isOneOverdue) {
            next = CHECK_WHILE_OVERDUE * leaseNanos;
        } else {
            // Check again when the next member becomes overdue, if that is earlier.
            for (String id : inView) {
                next = Math.min(next, Math.max(CHECK_WHILE_OVERDUE * leaseNanos, observations.untilOverdueNanos(id)));
            }
        }
        alarm = after((long) (next * (0.9 + random.nextDouble() / 10)), this::check);
    }

    /** Checks the other members, now and from now on. */
    public void check() {
        if (closed || busy) {
            return;
        }
        busy = true;
        boolean readsAllShards = isTimeForAllShards();
        List<Integer> shards = readsAllShards ? ItemKeys.allShards() : members.shardsOfNext(membership.id(), NEXT_FEW);
        List<String> keys = new ArrayList<>();
        shards.forEach(shard -> keys.add(ItemKeys.members(settings.cluster(), shard)));
        keys.addAll(holding.watched());
        int heads = keys.size();
        if (observations.isOutdated(checkedNanos)) {
            observations.forgetAll();
            dead.clear();
        }
        inView.clear();
        List<String> ids = nextToRead(Store.KEYS_MAX - heads);
        ids.forEach(id -> keys.add(ItemKeys.member(settings.cluster(), id)));
        calls.send(store -> store.read(keys, false), (answer, error, sent) -> {
            if (answer == null) {
                busy = false;
                checkLater();
                return;
            }
            checkedNanos = time.nanos();
            List<@Nullable Item> items = answer.items();
            for (int i = 0; i < shards.size(); i++) {
                members.read(shards.get(i), items.get(i));
            }
            shardsRead(readsAllShards);
            holding.watchedRead(items.subList(shards.size(), heads));
            noteAll(ids, items.subList(heads, items.size()));
            checkFurther();
        });
    }

    private boolean isTimeForAllShards() {
        long now = time.nanos();
        return now >= allShardsDueNanos
                || membership.id().isEmpty()
                || (context.needsMemberCount()
                        && now - allShardsReadNanos >= allShardsNanos(ALL_SHARDS_MIN_IF_COUNTED));
    }

    /** Returns the time between two reads of all shards. */
    private double allShardsNanos(double minLeases) {
        return Math.min(ALL_SHARDS_MAX, Math.max(minLeases, members.size() / 100.0)) * leaseNanos;
    }

    /** Evaluates the shards that were just read. */
    private void shardsRead(boolean all) {
        context.members(members.size());
        String id = membership.id();
        int own = id.isEmpty() ? 0 : members.size(ItemKeys.shardOf(id));
        long now = time.nanos();
        if (all) {
            ownShardSize = own;
            allShardsReadNanos = now;
            allShardsDueNanos = now + (long) (allShardsNanos(ALL_SHARDS_MIN) * jitter(0.25));
        } else if (Math.abs(own - ownShardSize) > 1 + ownShardSize / 4) {
            allShardsDueNanos = now;
        }
        if (!id.isEmpty()) {
            Map<String, Long> inCharge = new LinkedHashMap<>();
            for (int shard : members.inChargeOf(id)) {
                inCharge.put(ItemKeys.members(settings.cluster(), shard), members.free(shard));
            }
            holding.shardsRead(members.free(ItemKeys.shardOf(id)), inCharge);
        }
    }

    /** Returns the next unread members in the ring, at most {@code max}, until enough of them are not late. */
    private List<String> nextToRead(int max) {
        List<String> ids = new ArrayList<>();
        boolean beyond = membership.steadyNanos() >= STEADY_TO_CHECK_BEYOND * leaseNanos;
        int few = 0;
        // Double the number each time: few members are read in vain, and all are seen soon.
        int more = inView.isEmpty() ? max : Math.min(max, Math.max(NEXT_FEW, inView.size()));
        Iterator<String> ring = members.after(membership.id());
        while (few < NEXT_FEW && ring.hasNext() && ids.size() < more) {
            String id = ring.next();
            if (!inView.contains(id)) {
                ids.add(id);
            }
            few += beyond && observations.isLate(id) ? 0 : 1;
        }
        inView.addAll(ids);
        return ids;
    }

    /** Reads the members beyond those that are late, if there are any. Otherwise the check is complete. */
    private void checkFurther() {
        List<String> ids = closed ? List.of() : nextToRead(Store.KEYS_MAX);
        if (ids.isEmpty()) {
            complete();
            return;
        }
        List<String> keys =
                ids.stream().map(id -> ItemKeys.member(settings.cluster(), id)).toList();
        calls.send(store -> store.read(keys, false), (answer, error, sent) -> {
            if (answer == null) {
                complete();
            } else {
                noteAll(ids, answer.items());
                checkFurther();
            }
        });
    }

    private void noteAll(List<String> ids, List<@Nullable Item> items) {
        for (int i = 0; i < ids.size(); i++) {
            observations.note(ids.get(i), items.get(i));
        }
    }

    /** Ends a check: acts on what it showed, and schedules the next one. */
    private void complete() {
        busy = false;
        observations.forgetOutdated();
        dead.keepOnly(inView);
        judge();
        membership.witness(isOneOverdue);
        dead.takeBackNext();
        checkLater();
    }

    /** Decides which members are dead, and when this process may take back what they held. */
    private void judge() {
        isOneOverdue = false;
        int candidatesBefore = 0;
        for (String id : inView) {
            boolean late = observations.isLate(id);
            isOneOverdue |= late && membership.isSure();
            if (!observations.isDead(id) || id.equals(membership.id())) {
                dead.remove(id);
            } else if (!dead.isTakingBack(id)) {
                long wait = (long) (candidatesBefore * FALLBACK * leaseNanos * (1 + random.nextDouble()));
                dead.add(id, observations.item(id), wait);
            }
            candidatesBefore += late ? 0 : 1;
        }
    }
}
