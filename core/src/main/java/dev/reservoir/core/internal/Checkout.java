package dev.reservoir.core.internal;

import dev.reservoir.core.Exhaustion;
import dev.reservoir.core.NoConnectionException;
import dev.reservoir.core.NoConnectionException.Why;
import dev.reservoir.core.internal.calls.Callbacks;
import dev.reservoir.core.internal.calls.ListenerGuard;
import dev.reservoir.core.internal.checkout.Entry;
import dev.reservoir.core.internal.checkout.Gate;
import dev.reservoir.core.internal.checkout.VirtualThreads;
import dev.reservoir.core.internal.checkout.WaitQueue;
import dev.reservoir.core.internal.checkout.Waiter;
import dev.reservoir.core.internal.keeper.Keeper;
import dev.reservoir.core.internal.stats.CurrentSettings;
import dev.reservoir.core.internal.stats.EngineCounters;
import dev.reservoir.core.internal.stats.Nanos;
import dev.reservoir.core.spi.Listener;
import dev.reservoir.core.spi.Time;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What a checkout does that found nothing ready: it waits for its turn, by parking its thread or as a future, until it has a
 * connection, its deadline has come, or it is interrupted or cancelled (promise 6). Whichever of these is first, no connection
 * is lost.
 *
 * @param <T> the connection
 */
public final class Checkout<T> {
    private final String name;
    private final CurrentSettings settings;
    private final Time time;
    private final Gate gate;
    private final Keeper<T> keeper;
    private final WaitQueue<T> waiters;
    private final ListenerGuard<T> hearing;
    private final EngineCounters counters;
    private final NoConnectionMessage explanation;
    private final Callbacks callbacks;
    private final Consumer<Entry<T>> restore;
    private volatile boolean closed;

    /**
     * Wires the parts.
     *
     * @param callbacks where futures are completed
     * @param restore makes an owned connection available again
     */
    public Checkout(
            String name,
            CurrentSettings settings,
            Time time,
            Gate gate,
            Keeper<T> keeper,
            ListenerGuard<T> hearing,
            EngineCounters counters,
            NoConnectionMessage explanation,
            Callbacks callbacks,
            Consumer<Entry<T>> restore) {
        this.name = name;
        this.settings = settings;
        this.time = time;
        this.gate = gate;
        this.keeper = keeper;
        this.waiters = keeper.waiters();
        this.hearing = hearing;
        this.counters = counters;
        this.explanation = explanation;
        this.callbacks = callbacks;
        this.restore = restore;
    }

    /** From now on nobody gets a turn; what those hear who wait is for the keeper to say. */
    public NoConnectionException close() {
        closed = true;
        return explanation.closed();
    }

    public boolean isClosed() {
        return closed;
    }

    /** Tells everybody who waits for the first connections why there will be none. Not under the keeper's lock. */
    public void misconfigured() {
        keeper.failWaiters(refusal(Why.MISCONFIGURED, 0));
    }

    /**
     * Waits without a thread: the future completes in turn.
     *
     * @param acquire makes what the future completes with of a connection that may be lent at its {@link Entry#acquiredNanos}; if it
     *     throws, it has given the connection back
     * @param giveBack takes that back if the future was completed otherwise in the meantime
     */
    public <R> CompletableFuture<R> begin(long timeoutNanos, Function<Entry<T>, R> acquire, Consumer<R> giveBack) {
        counters.empties.increment();
        hearing.tell(Listener::empty);
        if (closed) {
            return CompletableFuture.failedFuture(explanation.closed());
        }
        if (keeper.misconfiguration() != null) {
            return CompletableFuture.failedFuture(refusal(Why.MISCONFIGURED, 0));
        }
        if (settings.get().exhaustion() == Exhaustion.FAIL || timeoutNanos <= 0) {
            return CompletableFuture.failedFuture(refusal(Why.EMPTY, 0));
        }
        return new AsyncCheckout<>(time.nanos(), timeoutNanos, acquire, giveBack).begin();
    }

    /**
     * Waits for a connection in turn, or fails as the settings say.
     *
     * @return a connection that the caller owns and that may be lent at its {@link Entry#acquiredNanos}, which is now
     */
    public Entry<T> await(long sinceNanos, long timeoutNanos) throws InterruptedException {
        if (closed) {
            throw explanation.closed();
        }
        counters.empties.increment();
        hearing.tell(Listener::empty);
        if (keeper.misconfiguration() != null) {
            throw refusal(Why.MISCONFIGURED, 0);
        }
        if (settings.get().exhaustion() == Exhaustion.FAIL || timeoutNanos <= 0) {
            throw refusal(Why.EMPTY, 0);
        }
        Waiter.Parked<T> waiter = new Waiter.Parked<>(sinceNanos, Nanos.sum(sinceNanos, timeoutNanos));
        if (!waiters.join(waiter)) {
            throw refusal(Why.QUEUE_FULL, 0);
        }
        Entry<T> entry = null;
        try {
            hearing.tell(Listener::waitBegan);
            keeper.waiterJoined();
            if (keeper.misconfiguration() != null) {
                // It was noticed after the first look and before this one joined.
                throw refusal(Why.MISCONFIGURED, 0);
            }
            entry = awaitTurn(waiter);
            while (entry != null && !waiter.gaveUp() && isStale(entry)) {
                waiter = new Waiter.Parked<>(sinceNanos, waiter.deadlineNanos);
                waiters.joinAgain(waiter);
                keeper.waiterJoined();
                entry = awaitTurn(waiter);
            }
        } catch (RuntimeException | Error e) {
            if (entry == null && !waiter.giveUp()) {
                giveBackUnwanted(waiter);
            }
            throw e;
        } finally {
            leftWith(entry, waiter);
        }
        if (entry == null) {
            throw closed ? explanation.closed() : refusal(Why.TIMEOUT, timeoutNanos);
        }
        return entry;
    }

    /** Ends a wait. An error on the way must not cost the connection that was waited for. */
    private void leftWith(@Nullable Entry<T> entry, Waiter<T> waiter) {
        try {
            left(waiter, entry != null);
        } catch (RuntimeException | Error e) {
            if (entry != null) {
                restore.accept(entry);
            }
            throw e;
        }
    }

    /** Whether the queue wakes this thread at its deadline; without a timer to be had, the thread does so itself. */
    private boolean isWatched(Waiter.Parked<T> waiter) {
        try {
            waiters.watch(waiter);
            return true;
        } catch (RuntimeException | Error noTimer) {
            return false;
        }
    }

    /** Parks until something is handed over or the thread, woken to look for itself, finds something. Null at the deadline. */
    private @Nullable Entry<T> awaitTurn(Waiter.Parked<T> waiter) throws InterruptedException {
        long deadlineNanos = waiter.deadlineNanos;
        boolean watched = VirtualThreads.isVirtual(Thread.currentThread());
        if (watched && !closed) {
            watched = isWatched(waiter);
        }
        long lookNanos = waiters.firstLookNanos(waiter.sinceNanos);
        for (; ; ) {
            boolean woken = waiter.beforeParking();
            if (waiter.isOver()) {
                if (woken) {
                    waiters.serve();
                }
                return waiter.handed();
            }
            long now = time.nanos();
            if (waiters.mayTake(waiter, now)) {
                Entry<T> found = waiters.claimUsable(now);
                if (found != null) {
                    if (waiter.giveUp()) {
                        found.acquiredNanos = now;
                        return found;
                    }
                    restore.accept(found);
                    continue;
                }
                waiters.lookedInVain(waiter, now);
            } else {
                waiters.serveIfReady();
                if (waiter.isOver()) {
                    continue;
                }
            }
            if (now >= deadlineNanos) {
                if (waiter.giveUp()) {
                    return null;
                }
                continue;
            }
            if (closed) {
                waiter.giveUp();
                continue;
            }
            if (watched) {
                LockSupport.park(this);
            } else {
                if (now >= lookNanos) {
                    // After twice as long each time, so that many who wait for long cost little.
                    lookNanos = Nanos.sum(now, Math.max(1, now - waiter.sinceNanos));
                }
                LockSupport.parkNanos(this, Math.min(deadlineNanos, lookNanos) - now);
            }
            if (Thread.interrupted()) {
                if (!waiter.giveUp()) {
                    giveBackUnwanted(waiter);
                }
                throw new InterruptedException(name + ": interrupted while waiting for a connection");
            }
        }
    }

    /**
     * Whether what was handed over is too old, or was retired, by the time the waiter comes to take it (promise 2). If so, it is
     * set aside; the wait goes on, at the head of the queue.
     */
    private boolean isStale(Entry<T> entry) {
        long now = time.nanos();
        // The mark is read first: it is volatile, and written after the other.
        boolean isGone = entry.mark != null && entry.gone;
        if (now < entry.usableUntilNanos() && !isGone) {
            entry.acquiredNanos = now;
            return false;
        }
        keeper.setAside(entry, now);
        return true;
    }

    private void giveBackUnwanted(Waiter<T> waiter) {
        try {
            Entry<T> unwanted = waiter.handed();
            if (unwanted != null) {
                restore.accept(unwanted);
            }
        } catch (NoConnectionException closedMeanwhile) {
            // The wait ended twice over; the interrupt is what its thread is told of.
        }
    }

    private void left(Waiter<T> waiter, boolean served) {
        waiters.leave(waiter);
        long waited = time.nanos() - waiter.sinceNanos;
        counters.waitTime.record(waited);
        if (served) {
            counters.servedWaits.increment();
        }
        hearing.tell(l -> l.waitEnded(waited, served));
        if (gate.waiting != 0 && waiter.gaveUp()) {
            waiters.serve();
        }
    }

    private NoConnectionException refusal(Why why, long waitedNanos) {
        counters.timeouts.increment();
        return explanation.of(why, waitedNanos, keeper, time.nanos());
    }

    /** One asynchronous checkout in the queue. */
    private final class AsyncCheckout<R> extends CompletableFuture<R> {
        private final long timeoutNanos;
        private final Function<Entry<T>, R> acquire;
        private final Consumer<R> giveBack;
        private final long sinceNanos;
        private volatile Waiter.Deferred<T> waiter;
        private volatile Time.@Nullable Timer timer;

        AsyncCheckout(long sinceNanos, long timeoutNanos, Function<Entry<T>, R> acquire, Consumer<R> giveBack) {
            this.timeoutNanos = timeoutNanos;
            this.acquire = acquire;
            this.giveBack = giveBack;
            this.sinceNanos = sinceNanos;
            this.waiter = newWaiter();
        }

        private Waiter.Deferred<T> newWaiter() {
            return new Waiter.Deferred<>(sinceNanos, ended -> callbacks.run(() -> handed(ended)));
        }

        AsyncCheckout<R> begin() {
            if (!waiters.join(waiter)) {
                completeExceptionally(refusal(Why.QUEUE_FULL, 0));
                return this;
            }
            try {
                hearing.tell(Listener::waitBegan);
                Time.Timer deadline = time.schedule(timeoutNanos, () -> giveUp(true));
                timer = deadline;
                keeper.waiterJoined();
                waiters.serve();
                if (waiter.isOver()) {
                    deadline.cancel();
                }
                if (closed) {
                    giveUp(false);
                } else if (keeper.misconfiguration() != null) {
                    fail(refusal(Why.MISCONFIGURED, 0));
                }
            } catch (RuntimeException | Error e) {
                fail(e);
            }
            return this;
        }

        /** An error came between: the wait ends with it. A connection that was handed over at the same moment is given back. */
        private void fail(Throwable error) {
            Waiter<T> mine = waiter;
            if (mine.giveUp()) {
                left(mine, false);
            }
            completeExceptionally(error);
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            boolean cancelled = super.cancel(mayInterruptIfRunning);
            giveUp(false);
            return cancelled;
        }

        private void giveUp(boolean timedOut) {
            Waiter<T> mine = waiter;
            if (timedOut) {
                waiters.serveIfReady();
            }
            if (mine.giveUp()) {
                try {
                    left(mine, false);
                    if (timedOut || closed) {
                        NoConnectionException why = closed ? explanation.closed() : refusal(Why.TIMEOUT, timeoutNanos);
                        callbacks.run(() -> completeExceptionally(why));
                    }
                } catch (RuntimeException | Error e) {
                    // The wait is over whatever happens here, so the future ends, too.
                    completeExceptionally(e);
                    throw e;
                }
            }
        }

        private void handed(Waiter<T> ended) {
            Entry<T> entry = null;
            try {
                entry = ended.handed();
            } catch (RuntimeException e) {
                left(ended, false);
                completeExceptionally(e);
                return;
            }
            try {
                if (entry != null && isStale(entry)) {
                    waitOn();
                    return;
                }
                left(ended, true);
            } catch (RuntimeException | Error e) {
                if (entry != null) {
                    restore.accept(entry);
                }
                completeExceptionally(e);
                return;
            }
            if (entry != null) {
                complete(entry);
            }
        }

        private void complete(Entry<T> entry) {
            R inUse;
            try {
                inUse = acquire.apply(entry);
            } catch (RuntimeException | Error e) {
                completeExceptionally(e);
                return;
            }
            if (!complete(inUse)) {
                giveBack.accept(inUse);
            }
        }

        /** Takes its place again, at the head. The deadline may have passed, and the future been cancelled, meanwhile. */
        private void waitOn() {
            Waiter.Deferred<T> again = newWaiter();
            // Known before it joins: from then on it may be handed another on another thread.
            waiter = again;
            cancelTimer();
            try {
                long leftNanos = Math.max(0, Nanos.sum(sinceNanos, timeoutNanos) - time.nanos());
                timer = time.schedule(leftNanos, () -> giveUp(true));
                waiters.joinAgain(again);
                keeper.waiterJoined();
                waiters.serve();
                if (closed || isDone()) {
                    giveUp(false);
                    cancelTimer();
                }
            } catch (RuntimeException | Error e) {
                fail(e);
            }
        }

        private void left(Waiter<T> ended, boolean served) {
            cancelTimer();
            Checkout.this.left(ended, served);
        }

        private void cancelTimer() {
            Time.Timer t = timer;
            if (t != null) {
                t.cancel();
            }
        }
    }
}
