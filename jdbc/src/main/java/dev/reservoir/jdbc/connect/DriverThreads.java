package dev.reservoir.jdbc.connect;

import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Daemon threads for calls of a driver, which may hang. Each call in progress has one thread, which stays for a short
 * while afterwards. The number of threads is bounded. Never queues: a task starts at once or is refused.
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

    /**
     * Starts the task now. Returns null if all threads are busy, if the factory or the system gives no thread,
     * or after the end. Does not block.
     */
    @Nullable
    Job start(Runnable task) {
        Job job = new Job(task);
        try {
            executor.execute(job);
            return job;
        } catch (RuntimeException | Error noThread) {
            // All threads are busy, or no new thread could be made. The executor has not kept the task.
            return null;
        }
    }

    boolean isEnded() {
        return executor.isShutdown();
    }

    /** Describes why the last task was refused. */
    String whyRefused() {
        return executor.getPoolSize() >= threadsMax
                ? "all " + threadsMax + " threads are taken by calls of the driver that hang"
                : "neither the system nor threadFactory gives a further thread";
    }

    /** Interrupts all tasks. The threads end when their tasks have finished. Does not block. */
    void end() {
        executor.shutdownNow();
    }

    /** One task. It can be interrupted at any time without interrupting the next task on the same thread. */
    static final class Job implements Runnable {
        private final Runnable task;

        /** The thread that runs the task. Guarded by this. */
        private @Nullable Thread runner;

        /** Whether an interrupt came before the task began. Guarded by this. */
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
                // An interrupt was meant for the task that has just ended.
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

        /** Interrupts the task: now if it runs, when it begins if it has not begun. Does nothing if it has ended. */
        synchronized void interrupt() {
            if (runner != null) {
                runner.interrupt();
            } else {
                interruptedEarly = true;
            }
        }
    }
}
