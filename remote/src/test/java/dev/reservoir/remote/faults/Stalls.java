package dev.reservoir.remote.faults;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures how late the machine wakes a thread that wants to run. A deadline that a thread keeps late by that much is
 * no fault of the code under test.
 */
final class Stalls implements AutoCloseable {
    private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** The end of an acquire may need several threads one after the other, and the machine may delay each of them. */
    private static final int THREADS_IN_A_ROW = 3;

    private volatile long longestNanos;
    private volatile boolean closed;

    /** Begins to measure. */
    Stalls() {
        Thread thread = new Thread(this::measure, "stalls");
        thread.setDaemon(true);
        thread.start();
    }

    private void measure() {
        while (!closed) {
            long begun = System.nanoTime();
            LockSupport.parkNanos(STEP_NANOS);
            longestNanos = Math.max(longestNanos, System.nanoTime() - begun - STEP_NANOS);
        }
    }

    /** How much later than its deadline a call may end because the machine was busy. */
    Duration allowance() {
        return Duration.ofNanos(THREADS_IN_A_ROW * longestNanos);
    }

    @Override
    public void close() {
        closed = true;
    }
}
