package dev.reservoir.pgwire.channel;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Creates daemon threads with a name and a number, and waits for their ends. An executor that has terminated still has
 * threads for an instant.
 */
public final class NamedThreads extends DefaultThreadFactory {
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

    public NamedThreads(String name) {
        super(name, true);
    }

    @Override
    public Thread newThread(Runnable task) {
        Thread thread = super.newThread(task);
        threads.removeIf(earlier -> earlier.getState() == Thread.State.TERMINATED);
        threads.add(thread);
        return thread;
    }

    /**
     * Waits until all threads have ended, for at most this time. Returns whether they have. An interrupt does not
     * shorten the wait, because what the threads still hold would stay behind.
     */
    public boolean join(Duration most) {
        long endNanos = System.nanoTime() + most.toNanos();
        boolean interrupted = false;
        for (Thread thread : threads) {
            long leftNanos = endNanos - System.nanoTime();
            while (thread.isAlive() && leftNanos > 0) {
                try {
                    // A join with 0 would wait without a limit.
                    thread.join(leftNanos / 1_000_000 + 1);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
                leftNanos = endNanos - System.nanoTime();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return threads.stream().noneMatch(Thread::isAlive);
    }
}
