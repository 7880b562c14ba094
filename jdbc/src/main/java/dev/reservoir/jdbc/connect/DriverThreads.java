package dev.reservoir.jdbc.connect;

import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Daemon threads for calls of a driver, which may hang: one for each call under way, kept for a short while after it, and never
 * more than a bound. Never queues: a task starts at once or is refused.
 */
final class DriverThreads {
    private static final long KEPT_SECONDS = 5;

    private final int threadsMax;
    private final ThreadPoolExecutor executor;

    DriverThreads(String threadNamePrefix, int threadsMax, ThreadFactory factory) {
        this.threadsMax = threadsMax;
        AtomicInteger number = new AtomicInteger();
        executor = new ThreadPoolExecutor(
                0, threadsMax, KEPT_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
                    Thread thread = factory.newThread(task);
                    thread.setName(threadNamePrefix + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
    }

    /** Starts the task now. Null if all threads are taken, if the system or the factory gives no thread, or after the end. */
    @Nullable
    Job start(Runnable task) {
        Job job = new Job(task);
        try {
            executor.execute(job);
            return job;
        } catch (RuntimeException | Error noThread) {
            // All threads are taken, the system gives none, or the factory failed. The pool has forgotten the task.
            return null;
        }
    }

    boolean isEnded() {
        return executor.isShutdown();
    }

    /** Why the last task was refused, in words. */
    String whyRefused() {
        return executor.getPoolSize() >= threadsMax
                ? "all " + threadsMax + " threads are taken by calls of the driver that hang"
                : "neither the system nor threadFactory gives a further thread";
    }

    /** Lets threads go as they finish, and interrupts those that are at work. Does not block. */
    void end() {
        executor.shutdownNow();
    }

    /** One task, which can be interrupted at any time without hitting the next one on the same thread. */
    static final class Job implements Runnable {
        private final Runnable task;

        /** The thread at work, guarded by this. */
        private @Nullable Thread runner;

        /** An interrupt that came before the thread did, guarded by this. */
        private boolean interruptedEarly;

        Job(Runnable task) {
            this.task = task;
        }

        @Override
        public void run() {
            begin(Thread.currentThread());
            try {
                task.run();
            } finally {
                end();
                // Whoever interrupted meant the task that has ended.
                Thread.interrupted();
            }
        }

        private synchronized void begin(Thread thread) {
            runner = thread;
            if (interruptedEarly) {
                thread.interrupt();
            }
        }

        private synchronized void end() {
            runner = null;
        }

        /** Interrupts the task: now if it is at work, when it begins if it has not begun, not at all if it has ended. */
        synchronized void interrupt() {
            if (runner != null) {
                runner.interrupt();
            } else {
                interruptedEarly = true;
            }
        }
    }
}
