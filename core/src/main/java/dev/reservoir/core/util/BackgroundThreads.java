package dev.reservoir.core.util;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks of one pool that may hang: listeners, log lines, and actions that an application attaches to a future. At
 * most a given number of them run at once, on {@link WorkerThreads}, and the others wait. So tasks that hang delay only
 * tasks of the same pool. Tasks start in the order of submission. Never blocks the thread that submits a task.
 */
public final class BackgroundThreads implements Executor, AutoCloseable {
    /** After this many tasks a thread serves other pools first, if any wait for a thread. */
    private static final int TURN_MAX = 100;

    private final WorkerThreads threads;
    private final String name;
    private final int threadsMax;
    private final int waitingMax;

    /** Guards the fields below. Held for a moment only, at most while a thread is started. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition whenIdle = lock.newCondition();
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>(1);

    /** The threads that run tasks or are about to. If tasks wait, there is at least one. */
    private int running;

    private boolean closed;

    /**
     * Starts no thread yet.
     *
     * @param name the name of a thread while it runs tasks; its number follows if the name ends with a dash
     * @param threadsMax how many tasks run at once
     * @param waitingMax how many tasks may wait; further ones are rejected
     * @param threads runs the tasks; closed with this object
     */
    public BackgroundThreads(String name, int threadsMax, int waitingMax, WorkerThreads threads) {
        this.name = name;
        this.threadsMax = threadsMax;
        this.waitingMax = waitingMax;
        this.threads = threads;
    }

    /**
     * Runs the task soon, on one of the threads. Does not block.
     *
     * @throws RejectedExecutionException if too many tasks wait, or after {@link #close}
     */
    @Override
    public void execute(Runnable task) {
        lock.lock();
        try {
            if (closed || waiting.size() >= waitingMax) {
                throw new RejectedExecutionException(closed ? "closed" : waitingMax + " tasks wait already");
            }
            waiting.addLast(task);
            if (running < threadsMax) {
                startThread();
            }
        } finally {
            lock.unlock();
        }
    }

    /** If there is no thread, the last task waits for another thread of this pool, or is rejected. */
    private void startThread() {
        running++;
        try {
            threads.execute(name, this::runTasks);
        } catch (RuntimeException | Error noThread) {
            if (--running == 0) {
                waiting.removeLast();
                throw noThread;
            }
        }
    }

    private void runTasks() {
        for (int i = 1; ; i++) {
            Runnable task = next();
            if (task == null) {
                return;
            }
            WorkerThreads.runGuarded(task);
            // An interrupt was meant for the task that has just ended.
            Thread.interrupted();
            if (i % TURN_MAX == 0 && isTakenOver()) {
                return;
            }
        }
    }

    private @Nullable Runnable next() {
        lock.lock();
        try {
            Runnable task = waiting.pollFirst();
            if (task == null && --running == 0) {
                whenIdle.signalAll();
            }
            return task;
        } finally {
            lock.unlock();
        }
    }

    /** Submits the rest of the tasks anew, so that tasks of other pools that wait come first. */
    private boolean isTakenOver() {
        try {
            threads.execute(name, this::runTasks);
            return true;
        } catch (RuntimeException | Error noThread) {
            return false;
        }
    }

    /** Accepts no further tasks. Tasks that wait still run. Does not block. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
        threads.close();
    }

    /**
     * Blocks until all tasks submitted before {@link #close} have run, or until the timeout. Returns whether they have.
     */
    public boolean awaitEnd(long timeoutNanos) throws InterruptedException {
        long left = timeoutNanos;
        lock.lock();
        try {
            while (running > 0 && left > 0) {
                left = whenIdle.awaitNanos(left);
            }
            return running == 0;
        } finally {
            lock.unlock();
        }
    }
}
