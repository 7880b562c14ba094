package dev.reservoir.core.internal.checkout;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One checkout in the queue. It ends exactly once: with a connection handed to it, with an error handed to it, or because
 * its own side gave up. Whoever moves {@link #outcome} off null has ended it.
 *
 * @param <T> the connection
 */
public abstract sealed class Waiter<T> permits Waiter.Parked, Waiter.Deferred {
    private static final Object GIVEN_UP = new Object();
    private static final VarHandle OUTCOME;
    private static final VarHandle WOKEN;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            OUTCOME = lookup.findVarHandle(Waiter.class, "outcome", Object.class);
            WOKEN = lookup.findVarHandle(Parked.class, "woken", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    public final long sinceNanos;

    /** Its place among those who had their turn before, in vain; 0 if it did not. Set before it joins. */
    long ticket;

    private volatile @Nullable Object outcome;

    Waiter(long sinceNanos) {
        this.sinceNanos = sinceNanos;
    }

    /** Hands over a connection, which the waiter then owns. False if the wait was over already. */
    boolean hand(Entry<T> entry) {
        return end(entry);
    }

    /** Ends the wait with an error. False if it was over already. */
    boolean fail(RuntimeException error) {
        return end(error);
    }

    /** Whether this connection was handed over, though telling the waiter of it may have failed. */
    boolean has(Entry<T> entry) {
        return outcome == entry;
    }

    /** Ends the wait from the waiter's own side. False if something was handed over before. */
    public boolean giveUp() {
        return OUTCOME.compareAndSet(this, null, GIVEN_UP);
    }

    /** Whether it ended from its own side. It may have been woken for something that others can have now. */
    public boolean gaveUp() {
        return outcome == GIVEN_UP;
    }

    /** Whether it had its turn before, in vain. */
    boolean isReturning() {
        return ticket != 0;
    }

    public boolean isOver() {
        return outcome != null;
    }

    /** What was handed over, null if nothing was. Throws what {@link #fail} was given. */
    @SuppressWarnings("unchecked")
    public @Nullable Entry<T> handed() {
        Object o = outcome;
        if (o instanceof RuntimeException error) {
            throw error;
        }
        return o == GIVEN_UP ? null : (Entry<T>) o;
    }

    private boolean end(Object result) {
        if (!OUTCOME.compareAndSet(this, null, result)) {
            return false;
        }
        ended();
        return true;
    }

    /** Tells the waiter that something was handed over. */
    abstract void ended();

    /** A thread, of either kind, that parks. */
    public static final class Parked<T> extends Waiter<T> {
        private final Thread thread = Thread.currentThread();
        private final boolean isPlatform = !VirtualThreads.isVirtual(thread);
        private volatile boolean woken;
        private volatile boolean claimsTurn;

        public final long deadlineNanos;

        public Parked(long sinceNanos, long deadlineNanos) {
            super(sinceNanos);
            this.deadlineNanos = deadlineNanos;
        }

        @Override
        void ended() {
            LockSupport.unpark(thread);
        }

        /** Lets the thread look for itself, once for each time it has gone to sleep. */
        void wake() {
            if (!woken && WOKEN.compareAndSet(this, false, true)) {
                LockSupport.unpark(thread);
            }
        }

        /** Whether the system may keep it from running, and it has not claimed its turn. */
        boolean mayBeKeptFromLooking() {
            return isPlatform && !claimsTurn;
        }

        /** From now on it is handed the next connection if it is the oldest. */
        void claimTurn() {
            claimsTurn = true;
        }

        boolean isWoken() {
            return woken;
        }

        /**
         * Called by the thread before it looks a last time and parks. Answers whether it had been woken to look: if it does
         * not, because its wait is over, it must have others served instead.
         */
        public boolean beforeParking() {
            return woken && (boolean) WOKEN.getAndSet(this, false);
        }
    }

    /** A callback. */
    public static final class Deferred<T> extends Waiter<T> {
        private final Consumer<Waiter<T>> whenEnded;

        public Deferred(long sinceNanos, Consumer<Waiter<T>> whenEnded) {
            super(sinceNanos);
            this.whenEnded = whenEnded;
        }

        @Override
        void ended() {
            whenEnded.accept(this);
        }
    }
}
