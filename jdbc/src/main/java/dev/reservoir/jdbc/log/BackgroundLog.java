package dev.reservoir.jdbc.log;

import dev.reservoir.jdbc.ReservoirDataSource;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has lines logged by a thread that may hang in an appender. Never blocks and never throws: a line too many is dropped and counted,
 * and the count is logged as soon as a line gets through.
 */
public final class BackgroundLog {
    private static final Logger log = LoggerFactory.getLogger(ReservoirDataSource.class);

    private final Executor executor;
    private final AtomicLong dropped = new AtomicLong();

    /** Whether a line with the count waits already, so that it takes no more than one place among those that wait. */
    private final AtomicBoolean reports = new AtomicBoolean();

    public BackgroundLog(Executor executor) {
        this.executor = executor;
    }

    /** Has the line logged soon. False if it was dropped. */
    public boolean run(Runnable line) {
        try {
            executor.execute(line);
        } catch (RuntimeException | Error refused) {
            dropped.incrementAndGet();
            return false;
        }
        if (dropped.get() != 0 && reports.compareAndSet(false, true)) {
            reportDropped();
        }
        return true;
    }

    private void reportDropped() {
        try {
            executor.execute(() -> {
                reports.set(false);
                long count = dropped.getAndSet(0);
                if (count != 0) {
                    log.warn("Reservoir: a log appender is too slow, lines were dropped  dropped_lines={}", count);
                }
            });
        } catch (RuntimeException | Error refused) {
            // With the next line, then.
            reports.set(false);
        }
    }
}
