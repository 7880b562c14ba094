package dev.reservoir.core.internal.checkout;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Holds the fields that every acquire and release reads, on cache lines of their own. They are read often and written
 * rarely.
 *
 * <p>Never guards anything: a thread that reads an old value here still works correctly, only slower or in a less fair
 * order.
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

    /** Records a sign of trouble, unless a later one was recorded already. */
    public void trouble(long nowNanos) {
        long last = troubleNanos;
        while (last < nowNanos && !TROUBLE.compareAndSet(this, last, nowNanos)) {
            last = troubleNanos;
        }
    }

    /**
     * From this time on a newcomer may not take a ready connection but must join the queue. It is the time when the
     * oldest waiter is due, see {@link WaitQueue}. It is {@link Long#MAX_VALUE} if nobody waits, and
     * {@link Long#MIN_VALUE} while the reservoir is paused or closed.
     */
    public long shutFromNanos() {
        return shutFromNanos;
    }

    /** The last sign of trouble. Connections that were last validated before it are suspect. */
    public long troubleNanos() {
        return troubleNanos;
    }

    /** Whether leases are recalled and still due. Then every released connection goes to the keeper first. */
    public boolean isRecalling() {
        return recalling;
    }

    /** Does not write if nothing changes, because every release reads the value. */
    public void setRecalling(boolean value) {
        if (recalling != value) {
            recalling = value;
        }
    }

    /** Adds to the number of waiters and returns the new number. This is a full fence. */
    int addWaiting(int change) {
        return (int) WAITING.getAndAdd(this, change) + change;
    }
}

@SuppressWarnings("unused")
abstract class GatePadding {
    private long a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, aA, aB, aC, aD, aE, aF;
}

abstract class GateFields extends GatePadding {
    volatile long shutFromNanos = Long.MAX_VALUE;
    volatile long troubleNanos = Long.MIN_VALUE;

    /**
     * The number of checkouts that wait. The thread that ends a wait subtracts it. So a waiter that was handed a
     * connection is not counted in addition to its connection.
     */
    volatile int waiting;

    /** A release reads it together with {@link #waiting}. */
    volatile boolean recalling;
}
