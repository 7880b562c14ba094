package dev.reservoir.core.internal;

import dev.reservoir.core.Exhaustion;
import dev.reservoir.core.NoConnectionException;
import dev.reservoir.core.NoConnectionException.Why;
import dev.reservoir.core.internal.calls.Callbacks;
import dev.reservoir.core.internal.calls.EngineSpi;
import dev.reservoir.core.internal.calls.ListenerGuard;
import dev.reservoir.core.internal.checkout.Entry;
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
    final Time time;
    final Keeper<T> keeper;
    final WaitQueue<T> waiters;
    final ListenerGuard<T> listeners;
    final NoConnectionMessage<T> explanation;
    final Callbacks callbacks;
    final Consumer<Entry<T>> restore;
    private final CurrentSettings settings;
    private final EngineCounters counters;
    private volatile boolean closed;

    /**
     * Wires the parts.
     *
     * @param callbacks completes the futures
     * @param restore makes a connection available again that the caller of it owns
     */
    public Checkout(
            EngineSpi<T> spi,
            CurrentSettings settings,
            Keeper<T> keeper,
            EngineCounters counters,
            NoConnectionMessage<T> explanation,
            Callbacks callbacks,
            Consumer<Entry<T>> restore) {
        this.time = spi.time();
        this.settings = settings;
        this.keeper = keeper;
        this.waiters = keeper.waiters();
        this.listeners = spi.listeners();
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
        NoConnectionException refused = refusalAtOnce(timeoutNanos);
        return refused != null
                ? CompletableFuture.failedFuture(refused)
                : new AsyncCheckout<>(this, time.nanos(), timeoutNanos, acquire, giveBack).begin();
    }

    /** The reason why a checkout that found no ready connection cannot wait, or null if it can. */
    private @Nullable NoConnectionException refusalAtOnce(long timeoutNanos) {
        if (closed) {
            return explanation.closed();
        }
        counters.addEmpty();
        listeners.tell(Listener::empty);
        if (keeper.isMisconfigured()) {
            return refusal(Why.MISCONFIGURED, 0);
        }
        boolean mayWait = settings.get().exhaustion() != Exhaustion.FAIL && timeoutNanos > 0;
        return mayWait ? null : refusal(Why.EMPTY, 0);
    }

    /**
     * Waits for a connection in order of arrival, or fails as the settings say. Blocks.
     *
     * @return a connection that the caller owns and that may be handed out at its {@link Entry#acquiredNanos}, which is
     *     now
     */
    public Entry<T> await(long sinceNanos, long timeoutNanos) throws InterruptedException {
        NoConnectionException refused = refusalAtOnce(timeoutNanos);
        if (refused != null) {
            throw refused;
        }
        Waiter.Parked<T> waiter = new Waiter.Parked<>(sinceNanos, Nanos.sum(sinceNanos, timeoutNanos));
        if (!waiters.join(waiter)) {
            throw refusal(Why.QUEUE_FULL, 0);
        }
        Entry<T> entry = null;
        try {
            listeners.tell(Listener::waitBegan);
            keeper.waiterJoined();
            if (keeper.isMisconfigured()) {
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
                        found.setAcquiredNanos(now);
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
                throw explanation.interrupted();
            }
        }
    }

    /**
     * Whether the connection that was handed over has become too old, or was retired, before the waiter took it
     * (promise 2). If so, sets it aside. The wait then continues at the head of the queue.
     */
    boolean isStale(Entry<T> entry) {
        long now = time.nanos();
        // The mark is read first: it is volatile, and it is written after the other field.
        boolean isGone = entry.mark() != null && entry.isGone();
        if (now < entry.usableUntilNanos() && !isGone) {
            entry.setAcquiredNanos(now);
            return false;
        }
        keeper.returns().setAside(entry, now);
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

    void left(Waiter<T> waiter, boolean served) {
        waiters.leave(waiter);
        long waited = time.nanos() - waiter.sinceNanos;
        counters.addWait(waited, served);
        listeners.tell(l -> l.waitEnded(waited, served));
        if (waiters.waiting() != 0 && waiter.gaveUp()) {
            waiters.serve();
        }
    }

    NoConnectionException refusal(Why why, long waitedNanos) {
        counters.addTimeout();
        return explanation.of(why, waitedNanos, time.nanos());
    }
}
