package dev.reservoir.core.util;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Threads for code that may hang: listeners, log appenders, and actions that an application attaches to a future. Tasks
 * start in the order of submission. Threads start when there is work and end when there is none. Never blocks the
 * thread that submits a task.
 */
public final class BackgroundThreads implements Executor, AutoCloseable {
    /**
     * How long an idle thread waits for the next task. It is long enough for a steady trickle of events, and short
     * enough to cost nothing.
     */
    private static final long KEPT_SECONDS = 2;

    private final ThreadPoolExecutor executor;

    /**
     * Starts no thread yet.
     *
     * @param name the name of the thread if there is only one; otherwise the prefix of a number
     * @param threadsMax how many tasks run at once
     * @param waitingMax how many tasks may wait; further ones are rejected
     * @param factory creates the threads
     */
    public BackgroundThreads(String name, int threadsMax, int waitingMax, ThreadFactory factory) {
        AtomicInteger number = new AtomicInteger();
        executor = new ThreadPoolExecutor(
                threadsMax, threadsMax, KEPT_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(waitingMax), task -> {
                    Thread thread = factory.newThread(task);
                    thread.setName(threadsMax == 1 ? name : name + "-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        executor.allowCoreThreadTimeOut(true);
    }

    /**
     * Runs the task soon, on one of the threads. Does not block.
     *
     * @throws RejectedExecutionException if too many tasks wait, or after {@link #close}
     */
    @Override
    public void execute(Runnable task) {
        executor.execute(task);
    }

    /** Accepts no further tasks. Tasks that wait still run. Does not block. */
    @Override
    public void close() {
        executor.shutdown();
    }

    /**
     * Blocks until all tasks submitted before {@link #close} have run, or until the timeout. Returns whether they have.
     */
    public boolean awaitEnd(long timeoutNanos) throws InterruptedException {
        return executor.awaitTermination(timeoutNanos, TimeUnit.NANOSECONDS);
    }
}
