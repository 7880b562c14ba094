package dev.reservoir.cluster.protocol;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Where the books of one budget are kept: one at a time. What must not happen while the lock is held (answering a request,
 * calling the store) is put off until it is free.
 */
public final class SerialExecutor {
    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<Runnable> putOff = new ArrayDeque<>();
    private final @Nullable ElapsedTime time;

    /** Where time is not looked at. */
    public SerialExecutor() {
        this.time = null;
    }

    /** Where it is looked, first of all, whether the machine has slept. */
    public SerialExecutor(ElapsedTime time) {
        this.time = time;
    }

    /** Does this with the books open, then what was put off meanwhile. */
    public void enter(Runnable work) {
        List<Runnable> after = List.of();
        RuntimeException first = null;
        lock.lock();
        try {
            if (time != null && lock.getHoldCount() == 1) {
                time.look();
            }
            work.run();
        } catch (RuntimeException e) {
            first = e;
        } finally {
            if (lock.getHoldCount() == 1 && !putOff.isEmpty()) {
                after = new ArrayList<>(putOff);
                putOff.clear();
            }
            lock.unlock();
        }
        for (Runnable next : after) {
            try {
                next.run();
            } catch (RuntimeException e) {
                // A fault of ours must not keep others from their calls and answers.
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

    /** Puts this off until the books are closed. */
    public void later(Runnable work) {
        if (!lock.isHeldByCurrentThread()) {
            throw new IllegalStateException("bug: nothing can be put off while the books are closed");
        }
        putOff.add(work);
    }
}
