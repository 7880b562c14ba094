package dev.reservoir.remote.adapter.jdbc;

import dev.reservoir.core.util.BackgroundThreads;
import dev.reservoir.core.util.WorkerThreads;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Ends statements that take too long. One timer serves all sessions of the process. Drivers count in seconds, or ignore
 * the timeout, so their own timers are not used.
 *
 * <p>A cancel opens a connection to the server and may hang. So it never runs on the thread of the timer, and a server
 * that does not answer delays no other. The threads end by themselves when there is nothing to do.
 */
final class StatementTimer {
    static final StatementTimer SHARED = new StatementTimer();

    /** Cancels that run at once. Each takes some milliseconds, unless its server does not answer. */
    private static final int CANCELS_MAX = 8;

    /** Cancels that may wait. A statement whose cancel is rejected ends by the network timeout of its connection. */
    private static final int WAITING_MAX = 10_000;

    /** How long the idle timer keeps its thread. */
    private static final long KEPT_SECONDS = 2;

    private final ScheduledThreadPoolExecutor timer;
    private final BackgroundThreads cancels = new BackgroundThreads(
            "reservoir-remote-cancel-",
            CANCELS_MAX,
            WAITING_MAX,
            WorkerThreads.of(WorkerThreads.Kind.WORKER, "reservoir-remote-cancel", null));

    private StatementTimer() {
        timer = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "reservoir-remote-timer");
            thread.setDaemon(true);
            return thread;
        });
        timer.setKeepAliveTime(KEPT_SECONDS, TimeUnit.SECONDS);
        timer.allowCoreThreadTimeOut(true);
        timer.setRemoveOnCancelPolicy(true);
    }

    /**
     * Cancels the statement after this time, unless the returned future is cancelled before. Does not block. Returns
     * null if there is no limit.
     */
    @Nullable
    Future<?> start(RunningStatement statement, Duration timeout) {
        if (timeout.isZero()) {
            return null;
        }
        return timer.schedule(() -> expire(statement), timeout.toNanos(), TimeUnit.NANOSECONDS);
    }

    private void expire(RunningStatement statement) {
        try {
            cancels.execute(statement::expire);
        } catch (RejectedExecutionException e) {
            // The network timeout of the connection ends the statement.
            return;
        }
    }
}
