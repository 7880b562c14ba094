package dev.reservoir.core.kit;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.spi.Connector;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Opens, validates and closes on its own threads, after random delays, with failures. For tests with real threads. */
public final class ThreadedConnector implements Connector<ThreadedConnector.Line>, AutoCloseable {
    private final ScheduledThreadPoolExecutor server = new ScheduledThreadPoolExecutor(2);
    private final int delayMicrosMax;
    private final int failureOneIn;

    public final AtomicInteger opened = new AtomicInteger();
    public final AtomicInteger closed = new AtomicInteger();
    public final AtomicInteger wrongs = new AtomicInteger();
    public final Set<Line> open = ConcurrentHashMap.newKeySet();

    /** One in {@code failureOneIn} connects and validations fails; 0 for none. */
    public ThreadedConnector(int delayMicrosMax, int failureOneIn) {
        this.delayMicrosMax = delayMicrosMax;
        this.failureOneIn = failureOneIn;
    }

    /** A connection that notices if two threads use it at once, or if a thread uses it after its end. */
    public static final class Line {
        private final AtomicInteger users = new AtomicInteger();
        private volatile boolean over;

        /** Uses the connection for a moment. Returns false if that was wrong. */
        public boolean use() {
            boolean alone = users.incrementAndGet() == 1;
            Thread.onSpinWait();
            users.decrementAndGet();
            return alone && !over;
        }
    }

    @Override
    public CompletionStage<Line> open(long timeoutNanos) {
        CompletableFuture<Line> stage = new CompletableFuture<>();
        later(() -> {
            if (fails()) {
                stage.completeExceptionally(new IllegalStateException("refused"));
            } else {
                Line line = new Line();
                opened.incrementAndGet();
                open.add(line);
                stage.complete(line);
            }
        });
        return stage;
    }

    @Override
    public CompletionStage<Boolean> validate(Line line, long timeoutNanos) {
        CompletableFuture<Boolean> stage = new CompletableFuture<>();
        later(() -> {
            // The close may overtake a validation that nobody waits for any more.
            if (!line.use() && !line.over) {
                wrongs.incrementAndGet();
            }
            stage.complete(!fails());
        });
        return stage;
    }

    @Override
    public CompletionStage<Void> close(Line line, DiscardReason reason) {
        if (!open.remove(line)) {
            wrongs.incrementAndGet();
        }
        line.over = reason != DiscardReason.SHUTDOWN;
        CompletableFuture<Void> stage = new CompletableFuture<>();
        later(() -> {
            closed.incrementAndGet();
            stage.complete(null);
        });
        return stage;
    }

    private boolean fails() {
        return failureOneIn > 0 && ThreadLocalRandom.current().nextInt(failureOneIn) == 0;
    }

    private void later(Runnable task) {
        if (delayMicrosMax == 0) {
            task.run();
        } else {
            var unused =
                    server.schedule(task, ThreadLocalRandom.current().nextInt(delayMicrosMax), TimeUnit.MICROSECONDS);
        }
    }

    @Override
    public void close() {
        server.shutdownNow();
    }
}
