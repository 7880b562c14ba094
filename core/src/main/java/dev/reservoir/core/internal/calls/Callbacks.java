package dev.reservoir.core.internal.calls;

import dev.reservoir.core.spi.Time;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Completes the futures of callers. So the actions attached to them never run on the engine's thread, nor on the thread
 * of a caller that releases a connection. If the executor rejects a task, for example because no thread is available,
 * the task is submitted again soon. After half a second of rejections a spare executor takes over. Its thread was
 * started before and runs nothing else.
 */
public final class Callbacks {
    /** The pause between two attempts to submit a rejected task. */
    static final long PAUSE_NANOS = 50_000_000L;

    /**
     * Bounds the attempts before the spare executor takes over. They take half a second in all, so a caller learns of
     * its connection or its deadline hardly later than that.
     */
    static final int TRIES_MAX = 10;

    private final Executor executor;
    private final Executor spare;
    private final Time time;
    private final Deque<Runnable> refused = new ConcurrentLinkedDeque<>();
    private final AtomicBoolean triesAgain = new AtomicBoolean();
    private final AtomicInteger tries = new AtomicInteger();
    private volatile Time.Timer timer = () -> {};
    private volatile boolean ending;

    /**
     * Wires the parts.
     *
     * @param spare runs the tasks that the executor rejects for too long
     */
    public Callbacks(Executor executor, Executor spare, Time time) {
        this.executor = executor;
        this.spare = spare;
        this.time = time;
    }

    /** Runs the task on the executor. Never blocks. */
    public void run(Runnable task) {
        if (refused.isEmpty() && isTakenBy(executor, task)) {
            tries.set(0);
        } else {
            refused.addLast(task);
            tryAgainSoon();
        }
    }

    /**
     * No time is left for further attempts. From now on, a task that the executor rejects goes to the spare executor at
     * once.
     */
    public void end() {
        ending = true;
        timer.cancel();
        handOver();
    }

    private static boolean isTakenBy(Executor by, Runnable task) {
        try {
            by.execute(task);
            return true;
        } catch (RuntimeException | Error notTaken) {
            return false;
        }
    }

    private void tryAgainSoon() {
        if (ending) {
            handOver();
        } else if (triesAgain.compareAndSet(false, true)) {
            try {
                timer = time.schedule(PAUSE_NANOS, this::tryAgain);
                if (ending) {
                    timer.cancel();
                    handOver();
                }
            } catch (RuntimeException | Error noTimer) {
                // The remaining tasks wait for the next task or for the end.
                triesAgain.set(false);
                tries.set(TRIES_MAX);
                handOver();
            }
        }
    }

    private void tryAgain() {
        triesAgain.set(false);
        tries.incrementAndGet();
        if (!handOver()) {
            tryAgainSoon();
        }
    }

    /** Submits the rejected tasks again, in order. Returns false if one of them is rejected again. */
    private boolean handOver() {
        for (Runnable next = refused.pollFirst(); next != null; next = refused.pollFirst()) {
            if (isTakenBy(executor, next)) {
                tries.set(0);
            } else if (!isTakenBySpare(next)) {
                refused.addFirst(next);
                return false;
            }
        }
        return true;
    }

    private boolean isTakenBySpare(Runnable task) {
        if (!ending && tries.get() < TRIES_MAX) {
            return false;
        }
        if (isTakenBy(spare, task)) {
            return true;
        }
        if (ending) {
            // There is no memory left to submit the task, no further attempt follows, and the engine has nothing left
            // to do. So it runs here.
            task.run();
        }
        return ending;
    }
}
