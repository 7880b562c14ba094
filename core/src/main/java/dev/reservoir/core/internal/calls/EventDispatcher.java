package dev.reservoir.core.internal.calls;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Submits calls of listeners and log lines to an executor, because both are foreign code that may hang. Never blocks
 * and never throws. If the executor rejects an event, the event is dropped and counted. The count is logged as soon as
 * the executor accepts an event again.
 */
public final class EventDispatcher {
    private static final Logger log = LoggerFactory.getLogger(EventDispatcher.class);

    private final Executor executor;
    private final AtomicLong dropped = new AtomicLong();

    public EventDispatcher(Executor executor) {
        this.executor = executor;
    }

    /** Runs the task on the executor, or drops it. */
    public void run(Runnable task) {
        try {
            executor.execute(task);
            if (dropped.get() != 0) {
                executor.execute(this::logDropped);
            }
        } catch (RuntimeException | Error refused) {
            dropped.incrementAndGet();
        }
    }

    private void logDropped() {
        long count = dropped.getAndSet(0);
        if (count != 0) {
            log.warn(
                    "Reservoir: a listener or log appender is too slow, events were dropped  dropped_events={}", count);
        }
    }
}
