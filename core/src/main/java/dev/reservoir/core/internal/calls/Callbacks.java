package dev.reservoir.core.internal.calls;

import dev.reservoir.core.spi.Time;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Where futures of callers are completed, so that what hangs on them never runs on the engine's thread or on the path of whoever
 * returns a connection. If the executor refuses, for example because no thread can be had, it is asked again soon. After half a
 * second of refusals another executor steps in, whose thread was started before and runs nothing else.
 */
public final class Callbacks {
    static final long PAUSE_NANOS = 50_000_000L;

    /** Half a second in all: a caller hears of its connection, or of its deadline, not much later than that. */
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
     * @param spare takes over what the executor refuses for too long
     */
    public Callbacks(Executor executor, Executor spare, Time time) {
        this.executor = executor;
        this.spare = spare;
        this.time = time;
    }

    /** Has the task run by the executor. Never blocks. */
    public void run(Runnable task) {
        if (refused.isEmpty() && isTakenBy(executor, task)) {
            tries.set(0);
        } else {
            refused.addLast(task);
            tryAgainSoon();
        }
    }

    /** There is no time left to ask again: whatever the executor refuses from now on goes to the spare one at once. */
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
                // What is left waits for the next task or for the end.
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

    /** Hands over what was refused, in order. False if some of it is refused again. */
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
            // No memory is left for the hand-over, nobody asks again, and the engine has nothing left to do.
            task.run();
        }
        return ending;
    }
}
