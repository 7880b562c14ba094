package dev.reservoir.core.internal.opening;

import dev.reservoir.core.internal.calls.EventLoop;
import dev.reservoir.core.spi.Leases;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How many leases this reservoir holds, and how many of them it owes: were asked back and are not on their way yet. Decides
 * nothing but how many more can be promised, and takes no lock, since the source of leases may ask from any thread and under
 * locks of its own.
 *
 * <p>A lease is held from the moment it comes until it, or the connection that it is for, is handed to {@link Closings}. Whatever
 * the reason for that was, it is a lease less, and so one less is owed: never more is owed than is held.
 */
public final class LeaseCount implements Leases.Holder {
    private static final long ONE_HELD = 1L << Integer.SIZE;

    private final EventLoop control;
    private final Runnable recalled;

    /** Held in the upper half, owed in the lower, so that both change at once. */
    private final AtomicLong books = new AtomicLong();

    private volatile boolean ended;

    /** Has {@code recalled} run under the keeper's lock after each recall that is promised something. */
    public LeaseCount(EventLoop control, Runnable recalled) {
        this.control = control;
        this.recalled = recalled;
    }

    @Override
    public int recall(int leases) {
        if (ended) {
            return 0;
        }
        long before = books.getAndUpdate(now -> now + promised(now, leases));
        int more = promised(before, leases);
        if (more > 0) {
            control.post(recalled);
        }
        return more;
    }

    private static int promised(long now, int leases) {
        return Math.max(0, Math.min(leases, held(now) - owed(now)));
    }

    /** A lease came. */
    void came() {
        books.getAndAdd(ONE_HELD);
    }

    /** A lease is on its way back. */
    void leaves() {
        long before = books.getAndUpdate(now -> now - ONE_HELD - Math.min(1, owed(now)));
        if (held(before) == 0) {
            throw new IllegalStateException("bug: a lease leaves that never came");
        }
    }

    /** How many were asked back and are not on their way yet. None at the end: then all are. */
    public int owed() {
        return ended ? 0 : owed(books.get());
    }

    /** From now on everything goes by itself. */
    public void end() {
        ended = true;
    }

    private static int held(long books) {
        return (int) (books >>> Integer.SIZE);
    }

    private static int owed(long books) {
        return (int) books;
    }
}
