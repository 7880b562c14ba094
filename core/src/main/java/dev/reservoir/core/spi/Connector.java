package dev.reservoir.core.spi;

import dev.reservoir.core.DiscardReason;
import java.util.concurrent.CompletionStage;

/**
 * Opens, proves and closes connections of one kind. Every method returns at once; the work is done elsewhere.
 *
 * @param <T> the connection
 */
public interface Connector<T> {

    /**
     * Starts to open one connection. The engine gives up at the time-out and frees the place; a connection that comes later
     * is handed to {@link #close}. A failure may be an {@link dev.reservoir.core.OpenFailedException}, which says why; any
     * other exception counts as a refused connect.
     *
     * @param timeoutNanos how long the engine will wait
     */
    CompletionStage<T> open(long timeoutNanos);

    /**
     * Starts to find out whether an idle connection still works.
     *
     * @param timeoutNanos how long the engine will wait; no answer by then counts as no
     */
    CompletionStage<Boolean> prove(T connection, long timeoutNanos);

    /**
     * Starts to close a connection; called exactly once for each connection opened. The stage completes when the connection
     * is gone, however that came about.
     */
    CompletionStage<Void> close(T connection, DiscardReason reason);
}
