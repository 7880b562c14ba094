package dev.reservoir.bench.flight;

import dev.reservoir.bench.Daemons;
import java.util.concurrent.TimeUnit;

/**
 * Measures how late a thread of this process wakes up that asked to sleep for a moment. On a machine with other work
 * this is what every deadline can be late by.
 */
final class Stalls implements AutoCloseable {
    private static final long SLEEP_MILLIS = 5;

    private volatile long longestNanos;
    private volatile boolean ends;

    Stalls() {
        Daemons.start("stalls", this::measure);
    }

    long longestNanos() {
        return longestNanos;
    }

    private void measure() {
        try {
            while (!ends) {
                long began = System.nanoTime();
                TimeUnit.MILLISECONDS.sleep(SLEEP_MILLIS);
                long late = System.nanoTime() - began - TimeUnit.MILLISECONDS.toNanos(SLEEP_MILLIS);
                longestNanos = Math.max(longestNanos, late);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        ends = true;
    }
}
