package dev.reservoir.core.spi;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.Pooled;

/**
 * Receives every event in the life of a connection: the one source of logs, metrics and checks. The reservoir calls the
 * methods one after the other, soon after the event, on a thread that serves no checkout and no deadline. A listener
 * that hangs therefore delays only the events behind it. If too many events wait, the reservoir drops further ones and
 * logs their number. It calls {@link #acquired} and {@link #released} on the caller's thread. It logs the first
 * exception of a listener and otherwise ignores exceptions.
 *
 * @param <T> the connection
 */
public interface Listener<T> {

    /**
     * Whether the listener wants {@link #acquired} and {@link #released}. They are on the hot path, so the reservoir
     * omits them for listeners that return false. The reservoir asks once, when it is built.
     */
    default boolean wantsCheckouts() {
        return false;
    }

    /**
     * Whether the listener wants {@link #validated}. An idle reservoir validates connections all the time, so the
     * reservoir omits it for listeners that return false. The reservoir asks once, when it is built.
     */
    default boolean wantsValidations() {
        return false;
    }

    /**
     * Whether every method always returns at once. The reservoir calls such a listener on the thread of the event,
     * which may be the reservoir's own, before anything else follows from the event. The reservoir asks once, when it
     * is built.
     */
    default boolean neverBlocks() {
        return false;
    }

    /** A connection was opened. It is ready, or goes straight to the waiter that has waited longest. */
    default void opened(Pooled<T> connection, long openNanos) {}

    /** A connection was handed out. Called only if {@link #wantsCheckouts}. */
    default void acquired(Pooled<T> connection) {}

    /** A connection was released and will be handed out again or discarded. Called only if {@link #wantsCheckouts}. */
    default void released(Pooled<T> connection) {}

    /**
     * The reservoir has validated a connection in the background. {@code works} is false if the connection does not
     * work, did not answer in time, or could not be asked. Called only if {@link #wantsValidations}.
     */
    default void validated(Pooled<T> connection, boolean works, long tookNanos) {}

    /** A connection left the reservoir and is about to be closed. */
    default void discarded(Pooled<T> connection, DiscardReason reason, long remainingNanos) {}

    /**
     * A discarded connection is closed and its lease released. {@code leaseReleased} is false if the release failed for
     * good.
     */
    default void closed(Pooled<T> connection, boolean leaseReleased) {}

    /** A connect failed. {@code failuresInARow} counts the consecutive failures for this reason. */
    default void openFailed(OpenFailureReason reason, Throwable cause, int failuresInARow) {}

    /**
     * A checkout found a ready connection and took this long. The reservoir measures a sample of these checkouts only:
     * the first two uses of each connection, and then one use of 64. It tells only listeners that {@link #neverBlocks}.
     *
     * @param checkouts how many checkouts this one stands for, itself included
     */
    default void foundReady(long tookNanos, int checkouts) {}

    /** A checkout found no ready connection. */
    default void empty() {}

    /** A checkout joined the wait queue. */
    default void waitBegan() {}

    /** A checkout left the wait queue, with or without a connection. */
    default void waitEnded(long waitedNanos, boolean served) {}
}
