package dev.reservoir.core.spi;

import dev.reservoir.core.DiscardReason;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Opens, validates and closes connections of one kind. Every method returns at once; the work happens on other threads.
 *
 * @param <T> the connection
 */
public interface Connector<T> {

    /**
     * Starts to open one connection. At the timeout the engine gives up and frees the place. A connection that arrives
     * later goes to {@link #close}. A failure may be an {@link dev.reservoir.core.OpenFailedException}, which names the
     * reason. Any other exception counts as a refused connect.
     *
     * @param timeoutNanos how long the engine waits
     */
    CompletionStage<T> open(long timeoutNanos);

    /**
     * Starts to find out whether an idle connection still works. A stage that fails says nothing about the connection:
     * the validation could not be carried out.
     *
     * @param timeoutNanos how long the engine waits; no answer by then counts as false
     */
    CompletionStage<Boolean> validate(T connection, long timeoutNanos);

    /**
     * Starts to find the connections in use that the server no longer serves. The server does not serve a connection
     * that it does not know. Nor does it serve one on which it waits for a command while the caller waits for an
     * answer. A connection with a long statement or a lock wait is served. The default finds none.
     *
     * @param fresh a connection that was just opened and that nobody uses, for queries to the server
     * @param inUse connections that callers hold; some may have been released meanwhile
     * @param timeoutNanos how long the engine waits; no answer by then counts as an empty list
     */
    default CompletionStage<List<T>> findUnresponsive(T fresh, List<T> inUse, long timeoutNanos) {
        return CompletableFuture.completedFuture(List.of());
    }

    /**
     * Starts to close a connection. The engine calls this exactly once for each opened connection. The stage completes
     * when the connection is gone, in whatever way.
     */
    CompletionStage<Void> close(T connection, DiscardReason reason);
}
