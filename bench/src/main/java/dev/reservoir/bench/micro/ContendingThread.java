package dev.reservoir.bench.micro;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;

/**
 * One thread of the contended loop. It spins during a hold of up to 20 us, as work on a result does. It parks during a
 * longer hold, as a wait for a database does.
 */
final class ContendingThread implements Runnable {

    /** Longest hold that spins. A parked thread resumes about 50 us late, so parking cannot give a shorter hold. */
    private static final long BUSY_NANOS_MAX = 20_000;

    private final DataSource pool;
    private final long holdNanos;
    private final CountDownLatch start;
    private volatile boolean stopped;

    /**
     * A plain field, because a memory barrier would distort the figures. Other threads read it after this thread has
     * ended.
     */
    private long served;

    ContendingThread(DataSource pool, long holdNanos, CountDownLatch start) {
        this.pool = pool;
        this.holdNanos = holdNanos;
        this.start = start;
    }

    @Override
    public void run() {
        try {
            start.await();
            while (!stopped) {
                try (Connection connection = pool.getConnection()) {
                    hold(connection);
                }
                served++;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (SQLException e) {
            throw new IllegalStateException("a checkout failed", e);
        }
    }

    void stop() {
        stopped = true;
    }

    /** How often the thread was served. Call it only after the thread has ended. */
    long served() {
        return served;
    }

    private void hold(Connection connection) {
        if (holdNanos == 0) {
            return;
        }
        if (holdNanos > BUSY_NANOS_MAX) {
            LockSupport.parkNanos(connection, holdNanos);
            return;
        }
        long endNanos = System.nanoTime() + holdNanos;
        while (System.nanoTime() < endNanos) {
            Thread.onSpinWait();
        }
    }
}
