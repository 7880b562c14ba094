package dev.reservoir.core.internal.calls;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One daemon thread for code of the application, used when the system provides no other thread. All holders in a
 * process share it. It starts with the first holder, while threads are still available, and ends after the last holder
 * is closed. Tasks run one after another, in the order of submission, so a task that hangs delays the others. Never
 * blocks the thread that submits a task.
 */
public final class SpareThread implements Executor, AutoCloseable {
    private static final String NAME = "reservoir-spare";

    /** Guards all fields. Held for a moment only. */
    private static final ReentrantLock LOCK = new ReentrantLock();

    private static int holders;
    private static @Nullable ThreadPoolExecutor shared;

    private boolean closed;

    /** Starts the thread, unless another holder has. Throws if the system provides none. */
    public SpareThread() {
        LOCK.lock();
        try {
            hold();
        } finally {
            LOCK.unlock();
        }
    }

    /**
     * Runs the task on the thread. After {@link #close} the thread starts for this task alone, which fails if the
     * system provides none. Does not block.
     */
    @Override
    public void execute(Runnable task) {
        LOCK.lock();
        try {
            ThreadPoolExecutor executor = hold();
            try {
                executor.execute(() -> runGuarded(task));
            } finally {
                letGo();
            }
        } finally {
            LOCK.unlock();
        }
    }

    /** Ends the thread if this was its last holder and it has nothing left to run. Does not block. */
    @Override
    public void close() {
        LOCK.lock();
        try {
            if (!closed) {
                closed = true;
                letGo();
            }
        } finally {
            LOCK.unlock();
        }
    }

    private static ThreadPoolExecutor hold() {
        ThreadPoolExecutor executor = shared;
        if (executor == null) {
            // The submitters bound the queue: each has at most as many tasks as it has waiting checkouts.
            executor = new ThreadPoolExecutor(
                    1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), SpareThread::newThread);
            executor.prestartAllCoreThreads();
            shared = executor;
        }
        holders++;
        return executor;
    }

    private static void letGo() {
        ThreadPoolExecutor executor = shared;
        if (--holders == 0 && executor != null) {
            shared = null;
            executor.shutdown();
        }
    }

    /**
     * The thread belongs to no application: it keeps neither the class loader nor the inherited thread locals of the
     * first holder.
     */
    private static Thread newThread(Runnable task) {
        Thread thread = new Thread(null, task, NAME, 0, false);
        thread.setContextClassLoader(SpareThread.class.getClassLoader());
        thread.setDaemon(true);
        return thread;
    }

    /** A task that throws must not end the thread, because there may be no other. */
    private static void runGuarded(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            Thread self = Thread.currentThread();
            self.getUncaughtExceptionHandler().uncaughtException(self, e);
        }
    }
}
