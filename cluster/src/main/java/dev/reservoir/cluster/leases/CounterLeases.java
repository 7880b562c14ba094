package dev.reservoir.cluster.leases;

import dev.reservoir.cluster.leases.LeaseRecords.Held;
import dev.reservoir.cluster.leases.LeaseRecords.LeaseRecord;
import dev.reservoir.cluster.membership.FailureDetector;
import dev.reservoir.cluster.membership.Membership;
import dev.reservoir.cluster.protocol.BudgetContext;
import dev.reservoir.cluster.protocol.ItemKeys;
import dev.reservoir.cluster.protocol.StoreCalls;
import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Change;
import dev.reservoir.cluster.store.Condition;
import dev.reservoir.cluster.store.Item;
import dev.reservoir.cluster.store.Write;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Leases of a whole cluster as Go processes count them: one counter, and one item for each lease. The member's item
 * also lists the leases of this process, in the same transaction. If this process dies, other processes can take them
 * back one by one and lower the counter. Many leases are taken or given back in one transaction. A released lease is
 * kept for a moment, so that a successor takes it over without a write. Connections that were opened while the store
 * was away, or whose leases others took back, have no lease record until there is room for one. If there is no room, as
 * many connections are recalled. The budget's serial executor guards the state. Never touches a lease that a Go process
 * wrote.
 */
public final class CounterLeases extends QueuedLeases {
    /** The limit is near when less than this part of it is free. */
    private static final double NEAR = 0.75;

    /**
     * Number of blocks into which a process divides its part of the free leases when the limit is near. A Go process
     * takes one lease at a time and opens a connection between two of them. The fewer leases are left, the smaller the
     * blocks, so both kinds of process get leases until the last one.
     */
    private static final int BLOCKS = 16;

    /** Pause after a block that was too small: about the time that a Go process takes to open a connection. */
    private static final long BLOCK_PAUSE_NANOS = 100_000_000L;

    /** Up to this many processes the pause is that long. More of them together write 100 times per second. */
    private static final int PROCESSES_AT_THAT_PACE = 10;

    private final LeaseRecords leaseRecords = new LeaseRecords();

    /** The lease records that the write under way creates. */
    private List<LeaseRecord> taking = List.of();

    /** The ids of the lease records that the write under way deletes. */
    private List<String> giving = List.of();

    /** Whether the last change took leases. The next change then gives leases back, if there are any to give back. */
    private boolean tookLast;

    private long giveNotBeforeNanos;

    /** The earliest time for the next block of leases for waiting requests. */
    private long takeNotBeforeNanos;

    /** How many leases this process has taken since the counter was last read. */
    private long takenSinceRead;

    /** When some leases may have been out for so long that they need a new item. */
    private long replaceAtNanos;

    public CounterLeases(BudgetContext context, StoreCalls calls, Membership membership) {
        super(context, calls, membership);
        this.replaceAtNanos = time.nanos();
        this.takeNotBeforeNanos = time.nanos();
    }

    @Override
    int size() {
        return leaseRecords.size();
    }

    @Override
    int used() {
        return leaseRecords.held();
    }

    @Override
    int excess() {
        return leaseRecords.withoutRecord();
    }

    @Override
    String details() {
        return excess() == 0 ? "" : ", " + excess() + " without";
    }

    @Override
    boolean mayGrant() {
        if (membership.isSure()) {
            return leaseRecords.free() > 0;
        }
        // A process that is not sure of its membership uses free leases only if the store is away.
        return storeHealth.usesLocalShare() && leaseRecords.held() < leaseRecords.size() + need.localExtra();
    }

    @Override
    Lease grant() {
        return leaseRecords.acquire(context.newLongId());
    }

    @Override
    boolean end(Lease lease) {
        return lease instanceof Held held && leaseRecords.comeBack(held, time.nanos());
    }

    private void nothingMoves() {
        taking = List.of();
        giving = List.of();
    }

    /** Joins without leases. Each lease item names its owner, and the owner's id is new. */
    @Override
    public Move joining() {
        return new Move(List.of(Change.set(ItemKeys.ENDPOINT, settings.endpoint()), usedNow()), List.of());
    }

    @Override
    public void joined(Move move) {
        go();
    }

    @Override
    public @Nullable Move wanted() {
        nothingMoves();
        long now = time.nanos();
        if (now >= replaceAtNanos) {
            replaceAtNanos = now + leaseRecords.replaceOld(now);
        }
        int missing = leaseRecords.withoutRecord() + queue.size() - leaseRecords.free();
        if (missing <= 0) {
            need.met();
        }
        long dueIn = Math.max(leaseRecords.dueInNanos(now), giveNotBeforeNanos - now);
        boolean mayTake = missing > 0 && !need.isFull() && (dueIn > 0 || !tookLast);
        int n = mayTake ? block(missing) : 0;
        if (n > 0 && need.isGathered()) {
            return growth(n, missing);
        }
        if (dueIn <= 0) {
            return giveBack(leaseRecords.end(CounterWrites.LEASES_AT_ONCE, now));
        }
        if (dueIn < Long.MAX_VALUE) {
            need.goAgainIn(dueIn);
        }
        return null;
    }

    /**
     * Returns how many leases to take now. Returns 0 if other processes go first, and then schedules the next attempt.
     * Connections that are open without a lease record get one at once, because waiting would not make them fewer.
     */
    private int block(int missing) {
        int max = Math.min(Math.min(missing, need.room()), Math.min(settings.limit(), CounterWrites.LEASES_AT_ONCE));
        long left = takeNotBeforeNanos - time.nanos();
        if (left > 0) {
            need.goAgainIn(left);
            return Math.min(max, leaseRecords.withoutRecord());
        }
        int processes = Math.max(1, context.members());
        // Assume that each other process takes as many as this one in the meantime.
        long out = need.out() + (processes - 1) * takenSinceRead;
        double free = Math.max(0L, settings.limit() - out);
        double part = Math.max(free - NEAR * settings.limit(), free / BLOCKS) / processes;
        return Math.min(max, Math.max(leaseRecords.withoutRecord(), Math.max(1, (int) part)));
    }

    private Move growth(int n, int missing) {
        if (n < Math.min(missing, CounterWrites.LEASES_AT_ONCE)) {
            double times = Math.max(1, (double) context.members() / PROCESSES_AT_THAT_PACE);
            takeNotBeforeNanos = time.nanos() + (long) (BLOCK_PAUSE_NANOS * times * jitter(0.25));
        }
        List<LeaseRecord> made = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            made.add(new LeaseRecord(context.newLongId(), time.nanos()));
        }
        taking = made;
        return counterWrites.take(made.stream().map(LeaseRecord::id).toList(), membership.id(), usedNow());
    }

    private Move giveBack(List<String> ids) {
        giving = ids;
        return counterWrites.giveBack(ids, membership.id(), usedNow());
    }

    @Override
    public void moved(Move move) {
        long now = time.nanos();
        tookLast = !taking.isEmpty();
        if (tookLast) {
            leaseRecords.add(taking, now);
            need.moved(taking.size());
            takenSinceRead += taking.size();
            need.met();
        } else {
            leaseRecords.remove(giving);
            need.moved(-CounterWrites.countedOff(move.others()));
            counterWrites.ended();
        }
        nothingMoves();
        recallExcess();
        go();
    }

    @Override
    public void refused(Move move, Answer answer) {
        if (taking.isEmpty()) {
            if (!counterWrites.learn(move.others(), answer)) {
                // This process can do nothing about it. Pause, so that other changes do not wait.
                giveNotBeforeNanos = time.nanos() + FailureDetector.checkNanos(settings);
            }
            return;
        }
        if (!answer.refused().contains(0)) {
            // The id of a lease is already in use. The next attempt uses other ids.
            return;
        }
        if (need.refused(ItemKeys.number(answer.item(), ItemKeys.ACTIVE), taking.size())) {
            full();
        }
    }

    @Override
    public void adopt(Item own) {
        leaseRecords.settle(own.texts(ItemKeys.LEASE_IDS), taking, time.nanos());
        nothingMoves();
        go();
    }

    @Override
    public void lost() {
        leaseRecords.settle(Set.of(), List.of(), time.nanos());
        nothingMoves();
        need.met();
    }

    @Override
    public @Nullable Move beforeLeaving() {
        nothingMoves();
        return leaseRecords.size() == 0 ? null : giveBack(leaseRecords.any(CounterWrites.LEASES_AT_ONCE));
    }

    /**
     * If more leases are left than one transaction can delete, the transaction gets a condition that never holds. The
     * member's item then stays, and other processes take the leases back. Without that item nobody would find them.
     */
    @Override
    public List<Write> leaving() {
        if (leaseRecords.size() > CounterWrites.LEASES_AT_ONCE) {
            return List.of(Write.check(counterWrites.counterKey(), Condition.less(ItemKeys.ACTIVE, Long.MIN_VALUE)));
        }
        return counterWrites.endings(
                settings.endpoint(), leaseRecords.any(CounterWrites.LEASES_AT_ONCE), membership.id());
    }

    @Override
    long takenFrom(Item dead) {
        return counterWrites.atOnce(dead);
    }

    @Override
    public List<String> watched() {
        return List.of(counterWrites.counterKey());
    }

    @Override
    public void watchedRead(List<@Nullable Item> items) {
        need.read(ItemKeys.number(items.get(0), ItemKeys.ACTIVE));
        takenSinceRead = 0;
        go();
    }
}
