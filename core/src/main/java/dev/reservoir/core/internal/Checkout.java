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
 * Carries out a checkout that found no ready connection (promise 6). Never waits with a lock held, and never opens a
 * connection itself.
 *
 * <p><b>States.</b> The checkout joins the wait queue and waits, as a parked thread or as a future. The wait ends with
 * a connection, at its deadline, or because the caller interrupts or cancels it or the reservoir closes. Several of
 * these can happen at the same moment. The first thread that sets the outcome of the {@link Waiter} decides. If a
 * connection was handed over and the caller no longer wants it, the checkout puts it back, so no connection is lost.
 *
 * <p><b>Why a thread checks again.</b> A connection that was handed over may go stale before the waiting thread runs.
 * To fail then would break promise 2, and to join at the end of the queue would lose the waiter's place. The waiter
 * therefore sets the connection aside and joins again at the head.
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
    private final ListenerGuard<T> listeners;
    private final EngineCounters counters;
    private final NoConnectionMessage explanation;
    private final Callbacks callbacks;
    private final Consumer<Entry<T>> restore;
    private volatile boolean closed;

    /**
     * Wires the parts.
     *
     * @param callbacks completes the futures
     * @param restore makes a connection available again that the caller of it owns
     */
    public Checkout(
            String name,
            CurrentSettings settings,
            Time time,
            Gate gate,
            Keeper<T> keeper,
            ListenerGuard<T> listeners,
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
        this.listeners = listeners;
        this.counters = counters;
        this.explanation = explanation;
        this.callbacks = callbacks;
        this.restore = restore;
    }

    /** Refuses all further checkouts. The keeper ends the waits that are under way with the returned exception. */
    public NoConnectionException close() {
        closed = true;
        return explanation.closed();
    }

    public boolean isClosed() {
        return closed;
    }

    /**
     * Ends every wait for the first connections with the reason why there will be none. Not under the keeper's lock.
     */
    public void misconfigured() {
        keeper.failWaiters(refusal(Why.MISCONFIGURED, 0));
    }

    /**
     * Waits without a thread. The future completes in order of arrival.
     *
     * @param acquire turns a connection that may be handed out at its {@link Entry#acquiredNanos} into the result of
     *     the future; if it throws, it has put the connection back
     * @param giveBack takes the result back if the future was completed otherwise in the meantime
     */
    public <R> CompletableFuture<R> begin(long timeoutNanos, Function<Entry<T>, R> acquire, Consumer<R> giveBack) {
        if (closed) {
            return CompletableFuture.failedFuture(explanation.closed());
        }
        counters.empties.increment();
        listeners.tell(Listener::empty);
        if (keeper.misconfiguration() != null) {
            return CompletableFuture.failedFuture(refusal(Why.MISCONFIGURED, 0));
        }
        if (settings.get().exhaustion() == Exhaustion.FAIL || timeoutNanos <= 0) {
            return CompletableFuture.failedFuture(refusal(Why.EMPTY, 0));
        }
        return new AsyncCheckout<>(time.nanos(), timeoutNanos, acquire, giveBack).begin();
    }

    /**
     * Waits for a connection in order of arrival, or fails as the settings say. Blocks.
     *
     * @return a connection that the caller owns and that may be handed out at its {@link Entry#acquiredNanos}, which is
     *     now
     */
    public Entry<T> await(long sinceNanos, long timeoutNanos) throws InterruptedException {
        if (closed) {
            throw explanation.closed();
        }
        counters.empties.increment();
        listeners.tell(Listener::empty);
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
            listeners.tell(Listener::waitBegan);
            keeper.waiterJoined();
            if (keeper.misconfiguration() != null) {
                // The keeper noticed it after the first check and before this waiter joined.
                throw refusal(Why.MISCONFIGURED, 0);
            }
            entry = awaitConnection(waiter);
            while (entry != null && !waiter.gaveUp() && isStale(entry)) {
                waiter = new Waiter.Parked<>(sinceNanos, waiter.deadlineNanos);
                waiters.joinAgain(waiter);
                keeper.waiterJoined();
                entry = awaitConnection(waiter);
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

    /** Ends a wait. If an error occurs, puts the connection back, so that it is not lost. */
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

    /** Whether the queue wakes this thread at its deadline. If no timer is available, the thread sets its own limit. */
    private boolean isWatched(Waiter.Parked<T> waiter) {
        try {
            waiters.watch(waiter);
            return true;
        } catch (RuntimeException | Error noTimer) {
            return false;
        }
    }

    /**
     * Parks until a connection is handed over, or until the thread is woken to look and finds one. Returns null at the
     * deadline.
     */
    private @Nullable Entry<T> awaitConnection(Waiter.Parked<T> waiter) throws InterruptedException {
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
                    // Each interval is twice as long as the last, so that many long waits cost little.
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
     * Whether the connection that was handed over has become too old, or was retired, before the waiter took it
     * (promise 2). If so, sets it aside. The wait then continues at the head of the queue.
     */
    private boolean isStale(Entry<T> entry) {
        long now = time.nanos();
        // The mark is read first: it is volatile, and it is written after the other field.
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
            // The wait also ended with an error. The thread reports only the interrupt.
        }
    }

    private void left(Waiter<T> waiter, boolean served) {
        waiters.leave(waiter);
        long waited = time.nanos() - waiter.sinceNanos;
        counters.waitTime.record(waited);
        if (served) {
            counters.servedWaits.increment();
        }
        listeners.tell(l -> l.waitEnded(waited, served));
        if (gate.waiting != 0 && waiter.gaveUp()) {
            waiters.serve();
        }
    }

    private NoConnectionException refusal(Why why, long waitedNanos) {
        counters.timeouts.increment();
        return explanation.of(why, waitedNanos, keeper, time.nanos());
    }

    /** One asynchronous checkout in the wait queue. */
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
                listeners.tell(Listener::waitBegan);
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

        /**
         * Ends the wait with an error. A connection that was handed over at the same moment goes back, because the
         * future is complete.
         */
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
                    // The wait is over in any case, so the future must complete as well.
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

        /** Joins again at the head. Meanwhile the deadline may have passed, or the future may have been cancelled. */
        private void waitOn() {
            Waiter.Deferred<T> again = newWaiter();
            // The field is set before the waiter joins: from then on another thread may hand it a connection.
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
