package dev.reservoir.bench.scenario;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for a condition by checking it every few milliseconds, for a limited time. */
final class Polling {

    private static final long INTERVAL_MILLIS = 2;

    private Polling() {}

    /**
     * Blocks until the condition holds. Returns the time since {@code sinceNanos}; infinite if the limit passes first.
     */
    static double nanosUntil(BooleanSupplier condition, long sinceNanos, Duration limit) throws InterruptedException {
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - sinceNanos > limit.toNanos()) {
                return Double.POSITIVE_INFINITY;
            }
            Thread.sleep(INTERVAL_MILLIS);
        }
        return System.nanoTime() - sinceNanos;
    }
}
