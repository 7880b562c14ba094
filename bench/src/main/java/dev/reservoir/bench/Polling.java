package dev.reservoir.bench;

import java.time.Duration;

/** Waits for a condition by checking it again and again, for a limited time. */
public final class Polling {

    /** Pause between two checks of a condition that costs nothing to check. */
    private static final Duration INTERVAL = Duration.ofMillis(2);

    private Polling() {}

    /** A condition. An exception of a check ends the wait. */
    @FunctionalInterface
    public interface Condition<E extends Exception> {
        boolean holds() throws E, InterruptedException;
    }

    /** Blocks until the condition holds, up to the limit. Returns whether it holds. */
    public static <E extends Exception> boolean until(Duration limit, Condition<E> condition)
            throws E, InterruptedException {
        return until(limit, INTERVAL, condition);
    }

    /** The same with another interval, for a condition that is expensive to check. */
    public static <E extends Exception> boolean until(Duration limit, Duration interval, Condition<E> condition)
            throws E, InterruptedException {
        return Double.isFinite(nanosUntil(System.nanoTime(), limit, interval, condition));
    }

    /**
     * Blocks until the condition holds. Returns the time since {@code sinceNanos}; infinite if the limit passes first.
     */
    public static <E extends Exception> double nanosUntil(long sinceNanos, Duration limit, Condition<E> condition)
            throws E, InterruptedException {
        return nanosUntil(sinceNanos, limit, INTERVAL, condition);
    }

    public static <E extends Exception> double nanosUntil(
            long sinceNanos, Duration limit, Duration interval, Condition<E> condition) throws E, InterruptedException {
        while (!condition.holds()) {
            if (System.nanoTime() - sinceNanos > limit.toNanos()) {
                return Double.POSITIVE_INFINITY;
            }
            Thread.sleep(interval.toMillis());
        }
        return System.nanoTime() - sinceNanos;
    }
}
