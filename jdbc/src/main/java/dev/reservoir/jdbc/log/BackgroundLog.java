package dev.reservoir.jdbc.log;

import dev.reservoir.jdbc.ReservoirDataSource;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs lines on another thread, which may hang in an appender. Never blocks and never throws. If too many lines wait,
 * it drops and counts further ones. It logs the count as soon as a line gets through.
 */
public final class BackgroundLog {
    private static final Logger log = LoggerFactory.getLogger(ReservoirDataSource.class);

    private final Executor executor;
    private final AtomicLong dropped = new AtomicLong();

    /** Whether a line with the count is already waiting, so that at most one such line waits. */
    private final AtomicBoolean reports = new AtomicBoolean();

    public BackgroundLog(Executor executor) {
        this.executor = executor;
    }

    /** Hands the line over to be logged soon. Returns false if it was dropped. Does not block. */
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
            // The next line tries again.
            reports.set(false);
        }
    }
}
