package dev.reservoir.core.time;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Threads for code that may hang: listeners, log appenders, whatever an application attaches to a future. Tasks begin in the
 * order in which they were given. Threads start when there is work and end when there is none. Never blocks the thread that
 * hands over a task.
 */
public final class BackgroundThreads implements Executor, AutoCloseable {
    /** How long a thread waits for the next task. Long enough for a steady trickle of events, short enough to cost nothing. */
    private static final long KEPT_SECONDS = 2;

    private final ThreadPoolExecutor executor;

    /**
     * Does not start a thread yet.
     *
     * @param name the name of the thread if there is one only; otherwise a number follows it
     * @param threadsMax how many tasks run at once
     * @param waitingMax how many tasks may wait; further ones are refused
     * @param factory makes the threads
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
     * Runs the task soon, on one of the threads.
     *
     * @throws RejectedExecutionException if too many tasks wait, or after the end
     */
    @Override
    public void execute(Runnable task) {
        executor.execute(task);
    }

    /** Takes no further tasks; those that wait still run. Does not block. */
    @Override
    public void close() {
        executor.shutdown();
    }

    /** Blocks until everything handed over before {@link #close} has run, or for so long. Answers whether it has. */
    public boolean awaitEnd(long timeoutNanos) throws InterruptedException {
        return executor.awaitTermination(timeoutNanos, TimeUnit.NANOSECONDS);
    }
}
