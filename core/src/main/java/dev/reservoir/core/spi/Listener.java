package dev.reservoir.core.spi;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.Pooled;

/**
 * Hears every event of a connection's life: the one source of logs, metrics and checks. Methods are called one after the other
 * on a thread of the reservoir that serves no checkout and no deadline, soon after the event, so a listener that hangs delays
 * only the events behind it. If too many wait, further ones are dropped, and a line in the log counts them. {@link #acquired} and
 * {@link #returned} are called on the caller's thread. What a listener throws is logged once and otherwise ignored.
 *
 * @param <T> the connection
 */
public interface Listener<T> {

    /**
     * Whether {@link #acquired} and {@link #returned} are wanted. They lie on the hot path, so they are left out for listeners
     * that answer false. Asked once, when the reservoir is built.
     */
    default boolean hearsCheckouts() {
        return false;
    }

    /**
     * Whether every method returns at once, whatever happens. Such a listener is called on the thread on which the event happens,
     * which may be the reservoir's own, before anything else follows from the event. Asked once, when the reservoir is built.
     */
    default boolean neverBlocks() {
        return false;
    }

    /** A connection was opened and stands ready, or goes straight to whoever waited longest. */
    default void opened(Pooled<T> connection, long openNanos) {}

    /** A connection was lent. Only if {@link #hearsCheckouts}. */
    default void acquired(Pooled<T> connection) {}

    /** A connection came back and will be lent again or discarded. Only if {@link #hearsCheckouts}. */
    default void returned(Pooled<T> connection) {}

    /** A connection left the reservoir and is about to be closed. */
    default void discarded(Pooled<T> connection, DiscardReason reason, long remainingNanos) {}

    /** A discarded connection is closed and its lease given back; {@code leaseReleased} is false if that failed for good. */
    default void closed(Pooled<T> connection, boolean leaseReleased) {}

    /** A connect failed; {@code failuresInARow} counts those of this reason. */
    default void openFailed(OpenFailureReason reason, Throwable cause, int failuresInARow) {}

    /** A checkout found no ready connection. */
    default void empty() {}

    /** A checkout joined the queue. */
    default void waitBegan() {}

    /** A checkout left the queue, with a connection or without. */
    default void waitEnded(long waitedNanos, boolean served) {}
}
