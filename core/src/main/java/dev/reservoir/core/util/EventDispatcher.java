package dev.reservoir.core.util;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;

/**
 * Submits calls of listeners and log lines to an executor, because both are foreign code that may hang. Never blocks
 * and never throws. If the executor rejects an event, the event is dropped and counted. The count is logged as soon as
 * the executor accepts an event again.
 */
public final class EventDispatcher {
    private final Executor executor;
    private final Logger log;
    private final AtomicLong dropped = new AtomicLong();

    /** Whether a line with the count is already waiting, so that at most one such line waits. */
    private final AtomicBoolean reports = new AtomicBoolean();

    public EventDispatcher(Executor executor, Logger log) {
        this.executor = executor;
        this.log = log;
    }

    /** Runs the task on the executor. Returns false if it was dropped. */
    public boolean run(Runnable task) {
        try {
            executor.execute(task);
        } catch (RuntimeException | Error refused) {
            dropped.incrementAndGet();
            return false;
        }
        if (dropped.get() != 0 && reports.compareAndSet(false, true)) {
            try {
                executor.execute(this::logDropped);
            } catch (RuntimeException | Error refused) {
                // The next event tries again.
                reports.set(false);
            }
        }
        return true;
    }

    private void logDropped() {
        reports.set(false);
        long count = dropped.getAndSet(0);
        if (count != 0) {
            log.warn(
                    "Reservoir: a listener or log appender is too slow, events were dropped  dropped_events={}", count);
        }
    }
}
