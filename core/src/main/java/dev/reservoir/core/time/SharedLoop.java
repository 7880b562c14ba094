package dev.reservoir.core.time;

import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor.AbortPolicy;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One of the few event loops that all pools of a process share. Each has one daemon thread, which starts with the first
 * time bound to the loop and ends with the last. A time stays on its loop, so its tasks run one after another. Tasks
 * never block, so a pool does not delay the others on its loop. Never blocks.
 */
final class SharedLoop {
    /** Tasks are short, so a few threads serve very many pools. */
    private static final int LOOPS_MAX = 4;

    /** Guards the loops and their counts. Held for a moment only. */
    private static final ReentrantLock LOCK = new ReentrantLock();

    /** At least two, so that a pool has its timers and its decisions on different threads. */
    private static final @Nullable SharedLoop[] LOOPS =
            new SharedLoop[Math.min(LOOPS_MAX, Math.max(2, Runtime.getRuntime().availableProcessors()))];

    final ScheduledThreadPoolExecutor executor;
    private final int index;
    private int bound;

    private SharedLoop(int index) {
        this.index = index;
        executor = newExecutor("reservoir-loop-" + (index + 1), SharedLoop::newThread);
    }

    /** Returns the loop with the fewest times bound to it. Throws if it has no thread yet and the system gives none. */
    static SharedLoop bind() {
        LOCK.lock();
        try {
            int least = 0;
            for (int i = 1; i < LOOPS.length; i++) {
                if (boundTo(i) < boundTo(least)) {
                    least = i;
                }
            }
            SharedLoop loop = LOOPS[least];
            if (loop == null) {
                loop = new SharedLoop(least);
                LOOPS[least] = loop;
            }
            loop.bound++;
            return loop;
        } finally {
            LOCK.unlock();
        }
    }

    private static int boundTo(int index) {
        SharedLoop loop = LOOPS[index];
        return loop == null ? 0 : loop.bound;
    }

    /** Ends the thread if no other time is bound to this loop. Called once for each time. */
    void unbind() {
        LOCK.lock();
        try {
            if (--bound == 0) {
                LOOPS[index] = null;
                executor.shutdown();
            }
        } finally {
            LOCK.unlock();
        }
    }

    /** Starts the thread at once, so that no deadline depends on whether a thread is available later. */
    static ScheduledThreadPoolExecutor newExecutor(String threadName, ThreadFactory factory) {
        ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(
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
        return executor;
    }

    /** The thread belongs to no application, so it keeps neither a class loader nor thread locals of one. */
    private static Thread newThread(Runnable task) {
        Thread thread = new Thread(null, task, "", 0, false);
        thread.setContextClassLoader(SharedLoop.class.getClassLoader());
        return thread;
    }
}
