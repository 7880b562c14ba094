package dev.reservoir.core.internal.checkout;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One checkout in the wait queue. It ends exactly once: with a connection, with an error, or because its own side gave
 * up. The thread that changes {@link #outcome} from null ends it.
 *
 * @param <T> the connection
 */
public abstract sealed class Waiter<T> permits Waiter.Parked, Waiter.Deferred {
    private static final Object GIVEN_UP = new Object();

    /** Replaces the connection once the waiter has it, so that a waiter that is still linked does not keep it alive. */
    private static final Object SERVED = new Object();

    private static final VarHandle NEXT;
    private static final VarHandle OUTCOME;
    private static final VarHandle WOKEN;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            NEXT = lookup.findVarHandle(Waiter.class, "next", Waiter.class);
            OUTCOME = lookup.findVarHandle(Waiter.class, "outcome", Object.class);
            WOKEN = lookup.findVarHandle(Parked.class, "woken", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    public final long sinceNanos;

    /**
     * Its place among the waiters whose connection had gone stale, or 0 if it is not one of them. Set before it joins.
     */
    long ticket;

    /** The link of the {@link WaiterChain}. It is null in the last waiter, and the waiter itself in one that left. */
    private volatile @Nullable Waiter<T> next;

    private volatile @Nullable Object outcome;

    Waiter(long sinceNanos) {
        this.sinceNanos = sinceNanos;
    }

    @Nullable
    Waiter<T> next() {
        return next;
    }

    boolean setNext(@Nullable Waiter<T> expected, Waiter<T> value) {
        return NEXT.compareAndSet(this, expected, value);
    }

    void linkToItself() {
        NEXT.setRelease(this, this);
    }

    /**
     * Makes the waiter the owner of a connection and ends its wait. Returns false if the wait was over already. If it
     * returns true, the caller must call {@link #ended}.
     */
    boolean take(Entry<T> entry) {
        return OUTCOME.compareAndSet(this, null, entry);
    }

    /** Ends the wait with an error. Returns false if the wait was over already. */
    boolean fail(RuntimeException error) {
        if (!OUTCOME.compareAndSet(this, null, error)) {
            return false;
        }
        ended();
        return true;
    }

    /** Ends the wait from the waiter's own side. Returns false if the wait was over already. */
    public boolean giveUp() {
        return OUTCOME.compareAndSet(this, null, GIVEN_UP);
    }

    /** Whether it ended from its own side. It may have been woken for a connection that is now available to others. */
    public boolean gaveUp() {
        return outcome == GIVEN_UP;
    }

    /** Called by its own side when it has read the outcome. */
    void forget() {
        if (outcome instanceof Entry) {
            outcome = SERVED;
        }
    }

    /** Whether it waits again because its connection had gone stale. */
    boolean isReturning() {
        return ticket != 0;
    }

    public boolean isOver() {
        return outcome != null;
    }

    /** The connection that was handed over, or null if there is none. Throws the error that {@link #fail} was given. */
    @SuppressWarnings("unchecked")
    public @Nullable Entry<T> handed() {
        Object o = outcome;
        if (o instanceof RuntimeException error) {
            throw error;
        }
        return o == GIVEN_UP ? null : (Entry<T>) o;
    }

    /** Tells the waiter that its wait has ended. */
    abstract void ended();

    /** A platform or virtual thread that parks. */
    public static final class Parked<T> extends Waiter<T> {
        private @Nullable Thread thread = Thread.currentThread();
        private final boolean isPlatform = !VirtualThreads.isVirtual(Thread.currentThread());
        private volatile boolean woken;
        private volatile boolean claimsNext;

        public final long deadlineNanos;

        public Parked(long sinceNanos, long deadlineNanos) {
            super(sinceNanos);
            this.deadlineNanos = deadlineNanos;
        }

        @Override
        void ended() {
            LockSupport.unpark(thread);
        }

        @Override
        void forget() {
            super.forget();
            thread = null;
        }

        /** Wakes the thread to look for itself, once for each time it has gone to sleep. */
        void wake() {
            if (!woken && WOKEN.compareAndSet(this, false, true)) {
                LockSupport.unpark(thread);
            }
        }

        /** Whether the operating system may keep it from running, and it has not claimed the next connection. */
        boolean mayBeKeptFromLooking() {
            return isPlatform && !claimsNext;
        }

        /** From now on, if it is the oldest, the next connection is handed to it. */
        void claimNext() {
            claimsNext = true;
        }

        boolean isWoken() {
            return woken;
        }

        /**
         * Called by the thread before it looks for the last time and parks. Returns whether it had been woken to look.
         * If its wait is over and it does not look, it must have the other waiters served instead.
         */
        public boolean beforeParking() {
            return woken && (boolean) WOKEN.getAndSet(this, false);
        }
    }

    /** A waiter without a thread. A callback tells it that its wait has ended. */
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
