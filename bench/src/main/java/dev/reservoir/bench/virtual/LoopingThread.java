package dev.reservoir.bench.virtual;

import dev.reservoir.bench.report.LatencyHistogram;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;

/** One thread of the loop: acquires, holds for 100 us and releases, until it is stopped. */
final class LoopingThread implements Runnable {

    static final long HOLD_NANOS = 100_000;

    private final DataSource pool;
    private final LatencyHistogram waits;
    private final CountDownLatch gate;
    private volatile boolean stopped;
    private volatile long served;
    private volatile long waitingSinceNanos;

    LoopingThread(DataSource pool, LatencyHistogram waits, CountDownLatch gate) {
        this.pool = pool;
        this.waits = waits;
        this.gate = gate;
    }

    @Override
    public void run() {
        try {
            gate.await();
            for (long times = 1; !stopped; times++) {
                if (servedOnce()) {
                    served = times;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (SQLException e) {
            // The checkout timed out after half a minute. The thread counts with its checkouts so far.
            stopped = true;
        }
    }

    /** Returns false if the loop was stopped while this thread waited. */
    private boolean servedOnce() throws SQLException {
        long askedNanos = System.nanoTime();
        waitingSinceNanos = askedNanos;
        try (Connection connection = pool.getConnection()) {
            if (stopped) {
                return false;
            }
            waits.record(System.nanoTime() - askedNanos);
            waitingSinceNanos = 0;
            LockSupport.parkNanos(connection, HOLD_NANOS);
            return true;
        }
    }

    /** Ends the loop. Returns how often this thread was served, and records a wait that is not over yet. */
    long stop() {
        stopped = true;
        long sinceNanos = waitingSinceNanos;
        if (sinceNanos != 0) {
            waits.record(System.nanoTime() - sinceNanos);
        }
        return served;
    }
}
