package dev.reservoir.remote.adapter.jdbc;

import dev.reservoir.core.util.BackgroundThreads;
import dev.reservoir.core.util.WorkerThreads;
import dev.reservoir.remote.model.ServerDefinition;
import java.time.Duration;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Ends statements that take too long. One timer serves all sessions of the process. Drivers count in seconds, or ignore
 * the timeout, so their own timers are not used.
 *
 * <p>A cancel opens a connection to the server and may hang. So it never runs on the thread of the timer, and each
 * server has a limit of its own. A server that does not answer delays no other. The threads end by themselves when
 * there is nothing to do.
 */
final class StatementTimer {
    static final StatementTimer SHARED = new StatementTimer();

    /** Cancels of one server that run at once. Each takes some milliseconds, unless the server does not answer. */
    private static final int CANCELS_MAX = 2;

    /** Cancels of one server that may wait. More than its connections are never needed. */
    private static final int WAITING_MAX = 10_000;

    /** How often a rejected cancel is tried again. After that the network timeout of the connection ends it. */
    private static final int RETRIES_MAX = 10;

    /** The pause before a rejected cancel is tried again. Cancels that hang end after some seconds. */
    private static final long RETRY_SECONDS = 1;

    /** How long the idle timer keeps its thread. */
    private static final long KEPT_SECONDS = 2;

    private final ScheduledThreadPoolExecutor timer;
    private final WorkerThreads threads = WorkerThreads.of(WorkerThreads.Kind.WORKER, "reservoir-remote-cancel", null);

    /** The cancels of each server. Guarded by its own monitor. A server that nobody holds any more leaves it. */
    private final Map<ServerDefinition, Executor> cancels = new WeakHashMap<>();

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

    /** Runs the cancels of a server. Sessions ask once, because this takes a lock. */
    Executor cancelsOf(ServerDefinition server) {
        synchronized (cancels) {
            return cancels.computeIfAbsent(
                    server,
                    key -> new BackgroundThreads("reservoir-remote-cancel-", CANCELS_MAX, WAITING_MAX, threads));
        }
    }

    /**
     * Cancels the statement after this time, unless the returned future is cancelled before. Does not block. Returns
     * null if there is no limit.
     *
     * @param on runs the cancels of the statement's server
     */
    @Nullable
    Future<?> start(RunningStatement statement, Duration timeout, Executor on) {
        if (timeout.isZero()) {
            return null;
        }
        return timer.schedule(() -> expire(statement, on, RETRIES_MAX), timeout.toNanos(), TimeUnit.NANOSECONDS);
    }

    private void expire(RunningStatement statement, Executor on, int retries) {
        try {
            on.execute(statement::expire);
        } catch (RejectedExecutionException e) {
            if (retries > 0) {
                var unused = timer.schedule(() -> expire(statement, on, retries - 1), RETRY_SECONDS, TimeUnit.SECONDS);
            }
        }
    }
}
