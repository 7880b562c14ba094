package dev.reservoir.jdbc;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Runs tasks that may hang, such as writing to a log, one after the other on a thread of their own, so that they delay nobody. The
 * thread comes with a task and goes soon after the last one. Never holds more than a bounded number of tasks. No method blocks.
 */
final class Aside {
    /** More lines than anybody reads of one kind; those that find it full are tried again, or left out. */
    private static final int TASKS_MAX = 1_000;

    private static final long KEPT_MILLIS = 500;

    private final ThreadPoolExecutor executor;

    Aside(ThreadFactory threads) {
        executor = new ThreadPoolExecutor(
                0, 1, KEPT_MILLIS, TimeUnit.MILLISECONDS, new LinkedBlockingQueue<>(TASKS_MAX), threads);
    }

    /** Whether the task was taken; not if too many wait, if no thread can be made, or after the end. */
    boolean run(Runnable task) {
        try {
            executor.execute(task);
            return true;
        } catch (RejectedExecutionException | OutOfMemoryError noRoom) {
            return false;
        }
    }

    /** Takes no more; what was taken is still run. */
    void end() {
        executor.shutdown();
    }
}
