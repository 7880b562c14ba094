package dev.reservoir.core;

import dev.reservoir.core.internal.Engine;
import dev.reservoir.core.spi.Connector;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Keeps connections ready and hands them out. Never opens or closes a connection on the path of a caller.
 *
 * <p>These methods do not block: {@link #tryAcquire}, {@link #acquireAsync}, {@link #release}, {@link #noteWorks},
 * {@link #discard}, {@link #suspectAll}, {@link #suspectOthers}, {@link #doubt}, {@link #evict}, {@link #pause},
 * {@link #resume}, {@link #setTargets}, {@link #setSettings}, {@link #whenReady}, {@link #closeAsync}. These take a
 * lock for a moment: {@link #flush}, {@link #counts}, {@link #stats}, {@link #checkouts}, {@link #targets}. These
 * block: {@link #acquire}, {@link #awaitReady}, {@link #close}.
 *
 * @param <T> the connection
 */
public abstract sealed class Reservoir<T> implements AutoCloseable permits Engine {
    /** How long the answer to a validation may take before the caller may {@link #doubt} the connection. */
    public static final Duration DOUBT_AFTER = Duration.ofSeconds(1);

    /** Called by the engine only. */
    protected Reservoir() {}

    /** Begins to build a reservoir of the connections that this connector opens. Does not block. */
    public static <T> ReservoirBuilder<T> builder(Connector<T> connector) {
        return new ReservoirBuilder<>(connector);
    }

    // Acquire.

    /**
     * Acquires a ready connection, or returns null at once. Never blocks. May return null although a connection is
     * ready, while the oldest waiter has a right to it.
     */
    public abstract @Nullable Pooled<T> tryAcquire();

    /**
     * Acquires a connection. If one is ready, returns it at once, without a lock and without I/O (promise 3). Otherwise
     * the setting for exhaustion decides: blocks up to the timeout, in order of arrival, or fails at once.
     *
     * @throws NoConnectionException if no connection could be acquired; its message says why
     * @throws InterruptedException if the thread was interrupted while it waited; no connection is lost by that
     */
    public abstract Pooled<T> acquire(long timeoutNanos) throws InterruptedException;

    /** Does the same as {@link #acquire(long)}, and may block as long. */
    public Pooled<T> acquire(Duration timeout) throws InterruptedException {
        return acquire(TimeUnit.NANOSECONDS.convert(timeout));
    }

    /**
     * Acquires a connection without blocking. The future completes with a connection, in order of arrival, or
     * exceptionally with {@link NoConnectionException} by the timeout. To cancel the future is to leave the wait queue;
     * no connection is lost by that.
     */
    public abstract CompletableFuture<Pooled<T>> acquireAsync(long timeoutNanos);

    // Release.

    /** Releases a connection that works. Never blocks. If the connection has to be closed, another thread closes it. */
    public abstract void release(Pooled<T> pooled);

    /**
     * Releases like {@link #release(Pooled)}. If the caller used the connection, also records the time, at the cost of
     * reading the clock. Never blocks. See {@link Pooled#idleSinceNanos}.
     */
    public void release(Pooled<T> pooled, boolean used) {
        if (used) {
            noteWorks(pooled);
        }
        release(pooled);
    }

    /**
     * Records that the caller who holds this connection has just seen that it works. Never blocks. See
     * {@link Pooled#idleSinceNanos}.
     */
    public abstract void noteWorks(Pooled<T> pooled);

    /** Takes back a connection that must not be handed out again. Never blocks. */
    public abstract void discard(Pooled<T> pooled, DiscardReason reason);

    // Management.

    /**
     * Reports a sign of trouble. Every connection that was last validated before now is validated again before it is
     * handed out. Does not block.
     */
    public abstract void suspectAll();

    /**
     * Reports that one connection was found broken. All others are validated before they are handed out again. If such
     * validations showed within the last minute that the others work, only one of them is validated at once. If that
     * one fails, or does not answer soon, all are. Does not block.
     */
    public abstract void suspectOthers();

    /**
     * Reports a validation without an answer. The caller began to validate this connection at least
     * {@link #DOUBT_AFTER} ago. The reservoir then validates all other connections before it hands them out, and opens
     * one more connection if there is room. If the server answers any of these, the connection in doubt is lost: the
     * reservoir closes it under the caller and completes the future. The caller then passes it to {@link #discard}.
     * Otherwise the future never completes, and the caller waits as long as it would have anyway. Does not block.
     *
     * @param askedNanos when the validation began, on the reservoir's clock
     */
    public abstract CompletableFuture<Void> doubt(Pooled<T> pooled, long askedNanos);

    /** Retires this connection: now if it is ready, on release if it is in use. Does not block. */
    public abstract void evict(Pooled<T> pooled);

    /**
     * Retires every connection that is open now: ready ones at once, those in use on release. None of them is handed
     * out after this. Meant for fail-over.
     */
    public abstract void flush();

    /**
     * Stops handing out and opening connections. Checkouts wait until {@link #resume} or their deadline. Connections in
     * use stay in use. Does not block.
     */
    public abstract void pause();

    /** Ends a {@link #pause}. Does not block. */
    public abstract void resume();

    /** Changes how many connections the reservoir holds. The change takes effect soon. Does not block. */
    public abstract void setTargets(Targets targets);

    /** How many connections the reservoir is asked to hold. Takes a lock for a moment. */
    public abstract Targets targets();

    /**
     * Completes when this many connections are ready or in use. Completes exceptionally with
     * {@link NoConnectionException} if the reservoir closes first. Cancel the future to stop waiting. Does not block.
     */
    public abstract CompletableFuture<Void> whenReady(int count);

    /**
     * Blocks until this many connections are ready or in use. Returns false if that takes longer than the timeout.
     *
     * @throws NoConnectionException if the reservoir closes first
     */
    public abstract boolean awaitReady(int count, Duration timeout) throws InterruptedException;

    /** The number of connections in each state at this instant. Takes a lock for a moment. */
    public abstract Counts counts();

    /** The numbers at one instant, with their histories. Takes a lock for a moment. */
    public abstract Stats stats();

    /**
     * The connections that have been in use for at least this long, the longest first. The reports have stacks if
     * checkouts are tracked. Takes a lock for a moment.
     */
    public abstract List<InUseReport> checkouts(Duration atLeast);

    /** The name given to the builder. */
    public abstract String name();

    /** The settings in force. */
    public abstract Settings settings();

    /**
     * Replaces the settings. Does not block. Lifetime, jitter and guard window apply to connections opened from now on.
     * Timeouts apply to operations that begin from now on.
     *
     * @throws IllegalArgumentException if {@code waitersMax}, {@code overtakingWindow}, the back-off,
     *     {@code startDelayMax}, {@code tracksCheckouts} or {@code lanes} differ: these are fixed when the reservoir is
     *     built
     */
    public abstract void setSettings(Settings replacement);

    /** The present on the reservoir's clock. The times of {@link Pooled} are on this clock. */
    public abstract long nanos();

    /** Whether the reservoir is closed or closing. */
    public abstract boolean isClosed();

    /**
     * Hands out nothing more, waits until the timeout for connections in use to be released, then closes the rest under
     * their callers. The future completes when no connection, thread, timer or lease is left (promise 9). Does not
     * block.
     */
    public abstract CompletableFuture<Void> closeAsync(Duration drain);

    /**
     * Does the same as {@link #closeAsync} without time to release connections in use. Blocks until nothing is left, at
     * most one minute.
     */
    @Override
    public void close() {
        close(Duration.ZERO);
    }

    /**
     * Does the same as {@link #closeAsync}, and blocks until nothing is left, at most until one minute after the
     * timeout.
     */
    public abstract void close(Duration drain);
}
