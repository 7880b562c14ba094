package dev.reservoir.core.time;

import dev.reservoir.core.spi.Time;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor.AbortPolicy;
import java.util.concurrent.TimeUnit;

/**
 * The machine's time, with one daemon thread for timers and tasks. After {@link #close} the clock continues, tasks run
 * on the thread that submits them, and timers never fire. So a connect that returns late can still be closed.
 */
public final class SystemTime implements Time, AutoCloseable {
    private final long originNanos = System.nanoTime();
    private final ScheduledThreadPoolExecutor executor;

    /** Does the same as {@link #SystemTime(String, ThreadFactory)}, with plain threads. */
    public SystemTime(String threadName) {
        this(threadName, Thread::new);
    }

    /**
     * Starts the thread at once, so that no deadline depends on whether a thread is available later. The thread gets
     * the given name.
     */
    public SystemTime(String threadName, ThreadFactory factory) {
        executor = new ScheduledThreadPoolExecutor(
                1,
                task -> {
                    Thread thread = factory.newThread(task);
                    thread.setName(threadName);
                    thread.setDaemon(true);
                    return thread;
                },
                new AbortPolicy());
        executor.setRemoveOnCancelPolicy(true);
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        executor.prestartAllCoreThreads();
    }

    @Override
    public long nanos() {
        return System.nanoTime() - originNanos;
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
        try {
            ScheduledFuture<?> future = executor.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
            return () -> future.cancel(false);
        } catch (RejectedExecutionException closed) {
            return () -> {};
        }
    }

    @Override
    public void execute(Runnable task) {
        try {
            executor.execute(task);
        } catch (RejectedExecutionException closed) {
            task.run();
        }
    }

    /** Ends the thread. Does not block. */
    @Override
    public void close() {
        executor.shutdown();
    }
}
