package dev.reservoir.core.internal.checkout;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What every checkout and return looks at, on cache lines of its own: read by all, written seldom.
 *
 * <p>Never guards anything: whoever reads an old value here does correct work, only slower or in a less fair order.
 */
@SuppressWarnings("unused")
public final class Gate extends GateFields {
    private static final VarHandle WAITING;
    private static final VarHandle TROUBLE;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            WAITING = lookup.findVarHandle(GateFields.class, "waiting", int.class);
            TROUBLE = lookup.findVarHandle(GateFields.class, "troubleNanos", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private long b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, bA, bB, bC, bD, bE, bF;

    /** Notes a sign of trouble, unless a later one was noted already. */
    public void trouble(long nowNanos) {
        long last = troubleNanos;
        while (last < nowNanos && !TROUBLE.compareAndSet(this, last, nowNanos)) {
            last = troubleNanos;
        }
    }

    /** Counts waiters up or down and answers how many there are then. A full fence. */
    int addWaiting(int change) {
        return (int) WAITING.getAndAdd(this, change) + change;
    }
}

@SuppressWarnings("unused")
abstract class GatePadding {
    private long a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, aA, aB, aC, aD, aE, aF;
}

abstract class GateFields extends GatePadding {
    /**
     * From this time on a newcomer may not take a ready connection but must queue: when the oldest waiter is due, see {@link
     * WaitQueue}, {@link Long#MAX_VALUE} if nobody waits, {@link Long#MIN_VALUE} while paused or closed.
     */
    public volatile long shutFromNanos = Long.MAX_VALUE;

    /** The last sign of trouble: connections last proven good before it are suspect. */
    public volatile long troubleNanos = Long.MIN_VALUE;

    /**
     * How many checkouts wait. Whoever ends a wait counts it down, so that one that was handed a connection does not count
     * beside its connection.
     */
    public volatile int waiting;

    /**
     * Whether leases are owed to their source, so that whatever comes back goes to the keeper first. A return looks at it
     * beside {@link #waiting}.
     */
    public volatile boolean recalling;
}
