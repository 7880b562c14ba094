package dev.reservoir.core.internal.opening;

import dev.reservoir.core.internal.calls.EventLoop;
import dev.reservoir.core.spi.Leases;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the leases that this reservoir holds, and those that it owes. An owed lease was recalled and is not on its way
 * back yet. The class decides only how many more leases the reservoir can promise. It never takes a lock, because the
 * source of leases may call it from any thread and under its own locks.
 *
 * <p>A lease is held from its arrival until it, or its connection, is passed to {@link Closings}. For whatever reason
 * that happens, it reduces the number held by one, and also the number owed if any are owed. So the number owed never
 * exceeds the number held.
 */
public final class LeaseCount implements Leases.Holder {
    private static final long ONE_HELD = 1L << Integer.SIZE;

    private final EventLoop eventLoop;
    private final Runnable recalled;

    /** The number held in the upper half and the number owed in the lower half, so that both change atomically. */
    private final AtomicLong leaseCount = new AtomicLong();

    private volatile boolean ended;

    /** After each recall that promises at least one lease, {@code recalled} runs under the keeper's lock. */
    public LeaseCount(EventLoop eventLoop, Runnable recalled) {
        this.eventLoop = eventLoop;
        this.recalled = recalled;
    }

    @Override
    public int recall(int leases) {
        if (ended) {
            return 0;
        }
        long before = leaseCount.getAndUpdate(now -> now + promised(now, leases));
        int more = promised(before, leases);
        if (more > 0) {
            eventLoop.post(recalled);
        }
        return more;
    }

    private static int promised(long now, int leases) {
        return Math.max(0, Math.min(leases, held(now) - owed(now)));
    }

    /** Counts a lease that arrived. */
    void came() {
        leaseCount.getAndAdd(ONE_HELD);
    }

    /** Counts a lease that is on its way back. */
    void leaves() {
        long before = leaseCount.getAndUpdate(now -> now - ONE_HELD - Math.min(1, owed(now)));
        if (held(before) == 0) {
            throw new IllegalStateException("bug: a lease is released that was never acquired");
        }
    }

    /**
     * How many leases were recalled and are not on their way back yet. Zero after the end, because then all go back.
     */
    public int owed() {
        return ended ? 0 : owed(leaseCount.get());
    }

    /** From now on all leases go back without a recall. */
    public void end() {
        ended = true;
    }

    private static int held(long leaseCount) {
        return (int) (leaseCount >>> Integer.SIZE);
    }

    private static int owed(long leaseCount) {
        return (int) leaseCount;
    }
}
