package dev.reservoir.core.internal;

import dev.reservoir.core.NoConnectionException;
import dev.reservoir.core.NoConnectionException.Why;
import dev.reservoir.core.internal.checkout.Entry;
import dev.reservoir.core.internal.checkout.WaitQueue;
import dev.reservoir.core.internal.checkout.Waiter;
import dev.reservoir.core.internal.stats.Nanos;
import dev.reservoir.core.spi.Listener;
import dev.reservoir.core.spi.Time;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One asynchronous checkout in the wait queue. A callback tells it when its wait has ended.
 *
 * @param <T> the connection
 * @param <R> the result of the future
 */
final class AsyncCheckout<T, R> extends CompletableFuture<R> {
    private final Checkout<T> checkout;
    private final WaitQueue<T> waiters;
    private final long timeoutNanos;
    private final Function<Entry<T>, R> acquire;
    private final Consumer<R> giveBack;
    private final long sinceNanos;
    private volatile Waiter.Deferred<T> waiter;
    private volatile Time.@Nullable Timer timer;

    AsyncCheckout(
            Checkout<T> checkout,
            long sinceNanos,
            long timeoutNanos,
            Function<Entry<T>, R> acquire,
            Consumer<R> giveBack) {
        this.checkout = checkout;
        this.waiters = checkout.waiters;
        this.timeoutNanos = timeoutNanos;
        this.acquire = acquire;
        this.giveBack = giveBack;
        this.sinceNanos = sinceNanos;
        this.waiter = newWaiter();
    }

    private Waiter.Deferred<T> newWaiter() {
        return new Waiter.Deferred<>(sinceNanos, ended -> checkout.callbacks.run(() -> handed(ended)));
    }

    AsyncCheckout<T, R> begin() {
        if (!waiters.join(waiter)) {
            completeExceptionally(checkout.refusal(Why.QUEUE_FULL, 0));
            return this;
        }
        try {
            checkout.listeners.tell(Listener::waitBegan);
            Time.Timer deadline = checkout.time.schedule(timeoutNanos, () -> giveUp(true));
            timer = deadline;
            checkout.keeper.waiterJoined();
            waiters.serve();
            if (waiter.isOver()) {
                deadline.cancel();
            }
            if (checkout.isClosed()) {
                giveUp(false);
            } else if (checkout.keeper.isMisconfigured()) {
                fail(checkout.refusal(Why.MISCONFIGURED, 0));
            }
        } catch (RuntimeException | Error e) {
            fail(e);
        }
        return this;
    }

    /**
     * Ends the wait with an error. A connection that was handed over at the same moment goes back, because the future
     * is complete.
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
                if (timedOut || checkout.isClosed()) {
                    NoConnectionException why = checkout.isClosed()
                            ? checkout.explanation.closed()
                            : checkout.refusal(Why.TIMEOUT, timeoutNanos);
                    checkout.callbacks.run(() -> completeExceptionally(why));
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
            if (entry != null && checkout.isStale(entry)) {
                waitOn();
                return;
            }
            left(ended, true);
        } catch (RuntimeException | Error e) {
            if (entry != null) {
                checkout.restore.accept(entry);
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
            long leftNanos = Math.max(0, Nanos.sum(sinceNanos, timeoutNanos) - checkout.time.nanos());
            timer = checkout.time.schedule(leftNanos, () -> giveUp(true));
            waiters.joinAgain(again);
            checkout.keeper.waiterJoined();
            waiters.serve();
            if (checkout.isClosed() || isDone()) {
                giveUp(false);
                cancelTimer();
            }
        } catch (RuntimeException | Error e) {
            fail(e);
        }
    }

    private void left(Waiter<T> ended, boolean served) {
        cancelTimer();
        checkout.left(ended, served);
    }

    private void cancelTimer() {
        Time.Timer t = timer;
        if (t != null) {
            t.cancel();
        }
    }
}
