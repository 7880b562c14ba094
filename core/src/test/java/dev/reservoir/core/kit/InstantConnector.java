package dev.reservoir.core.kit;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.spi.Connector;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Opens, validates and closes at once, on any thread. For tests with real threads. */
public final class InstantConnector implements Connector<Object> {
    public final AtomicInteger opened = new AtomicInteger();
    public final AtomicInteger closed = new AtomicInteger();
    public final AtomicInteger closedTwice = new AtomicInteger();
    public final Set<Object> open = ConcurrentHashMap.newKeySet();

    @Override
    public CompletionStage<Object> open(long timeoutNanos) {
        Object connection = new Object();
        opened.incrementAndGet();
        open.add(connection);
        return CompletableFuture.completedFuture(connection);
    }

    @Override
    public CompletionStage<Boolean> validate(Object connection, long timeoutNanos) {
        return CompletableFuture.completedFuture(open.contains(connection));
    }

    @Override
    public CompletionStage<Void> close(Object connection, DiscardReason reason) {
        closed.incrementAndGet();
        if (!open.remove(connection)) {
            closedTwice.incrementAndGet();
        }
        return CompletableFuture.completedFuture(null);
    }
}
