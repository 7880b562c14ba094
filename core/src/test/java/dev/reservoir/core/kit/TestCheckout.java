package dev.reservoir.core.kit;

import dev.reservoir.core.NoConnectionException;
import dev.reservoir.core.Pooled;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** One checkout that a test has begun: its start, its deadline and its result. */
public final class TestCheckout {
    public final CompletableFuture<Pooled<Wire>> future;
    public final long sinceNanos;
    public final long deadlineNanos;

    TestCheckout(CompletableFuture<Pooled<Wire>> future, long sinceNanos, long timeoutNanos) {
        this.future = future;
        this.sinceNanos = sinceNanos;
        this.deadlineNanos = sinceNanos > Long.MAX_VALUE - timeoutNanos ? Long.MAX_VALUE : sinceNanos + timeoutNanos;
    }

    public boolean isDone() {
        return future.isDone();
    }

    public boolean isServed() {
        return future.isDone() && !future.isCompletedExceptionally();
    }

    /** The connection that was handed out. */
    public Pooled<Wire> pooled() {
        if (!isServed()) {
            throw new AssertionError("not served: " + future);
        }
        return future.join();
    }

    /** The reason why it got no connection; null if it got one, was cancelled, or still waits. */
    public @Nullable NoConnectionException refusal() {
        if (!future.isCompletedExceptionally() || future.isCancelled()) {
            return null;
        }
        try {
            future.join();
            return null;
        } catch (CompletionException e) {
            return (NoConnectionException) e.getCause();
        }
    }
}
