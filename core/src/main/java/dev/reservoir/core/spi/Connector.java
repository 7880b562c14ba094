package dev.reservoir.core.spi;

import dev.reservoir.core.DiscardReason;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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
     * Starts to find out whether an idle connection still works. A stage that fails says nothing of the connection: it could not
     * be asked.
     *
     * @param timeoutNanos how long the engine will wait; no answer by then counts as no
     */
    CompletionStage<Boolean> validate(T connection, long timeoutNanos);

    /**
     * Starts to find out which connections in use the server no longer serves: it does not know them, or it waits for a command
     * while the caller waits for an answer. Long statements and lock waits are served. The default knows of none.
     *
     * @param fresh a connection that was just opened and that nobody uses, to ask the server with
     * @param inUse connections that callers hold; some may have come back meanwhile
     * @param timeoutNanos how long the engine will wait; no answer by then counts as none
     */
    default CompletionStage<List<T>> findUnresponsive(T fresh, List<T> inUse, long timeoutNanos) {
        return CompletableFuture.completedFuture(List.of());
    }

    /**
     * Starts to close a connection; called exactly once for each connection opened. The stage completes when the connection
     * is gone, however that came about.
     */
    CompletionStage<Void> close(T connection, DiscardReason reason);
}
