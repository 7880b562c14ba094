package dev.reservoir.bench.virtual;

import dev.reservoir.bench.report.LatencyHistogram;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;

/** One thread of the loop: checks out, holds for 100 us, returns, and again, until stopped. */
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
            // Half a minute without a connection: the thread counts with what it had until then.
            stopped = true;
        }
    }

    /** False if the end came while this thread waited. */
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

    /** Ends the loop and returns how often this thread was served; a wait in progress is recorded as it is. */
    long stop() {
        stopped = true;
        long sinceNanos = waitingSinceNanos;
        if (sinceNanos != 0) {
            waits.record(System.nanoTime() - sinceNanos);
        }
        return served;
    }
}
