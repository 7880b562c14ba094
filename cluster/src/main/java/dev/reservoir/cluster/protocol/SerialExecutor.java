package dev.reservoir.cluster.protocol;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Runs the tasks of one budget one at a time, under a lock, on the thread of the caller. Work that must not run under
 * the lock, such as answering a request or calling the store, is deferred until the lock is free.
 */
public final class SerialExecutor {
    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<Runnable> deferred = new ArrayDeque<>();
    private final @Nullable ElapsedTime time;

    /** An executor that does not check whether the machine has slept. */
    public SerialExecutor() {
        this.time = null;
    }

    /** An executor that checks, before each task, whether the machine has slept. */
    public SerialExecutor(ElapsedTime time) {
        this.time = time;
    }

    /** Runs the task under the lock, then the deferred work without it. Blocks while another thread runs a task. */
    public void enter(Runnable work) {
        List<Runnable> after = List.of();
        RuntimeException first = null;
        lock.lock();
        try {
            if (time != null && lock.getHoldCount() == 1) {
                time.compareClocks();
            }
            work.run();
        } catch (RuntimeException e) {
            first = e;
        } finally {
            if (lock.getHoldCount() == 1 && !deferred.isEmpty()) {
                after = new ArrayList<>(deferred);
                deferred.clear();
            }
            lock.unlock();
        }
        for (Runnable next : after) {
            try {
                next.run();
            } catch (RuntimeException e) {
                // A bug in one task must not keep other callers from their calls and answers.
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    /** Defers this work until the lock is free. The caller must hold the lock. */
    public void later(Runnable work) {
        if (!lock.isHeldByCurrentThread()) {
            throw new IllegalStateException("bug: only a thread that holds the lock may defer work");
        }
        deferred.add(work);
    }
}
