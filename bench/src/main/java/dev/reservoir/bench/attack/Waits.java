package dev.reservoir.bench.attack;

import java.time.Duration;
import java.util.concurrent.Callable;

/** Waits with a bound. */
final class Waits {

    private static final long LOOK_MILLIS = 10;

    private Waits() {}

    /** Looks until the condition holds, up to the limit, and tells whether it does. */
    static boolean until(Callable<Boolean> condition, Duration limit) throws Exception {
        long beganNanos = System.nanoTime();
        while (!condition.call()) {
            if (System.nanoTime() - beganNanos > limit.toNanos()) {
                return false;
            }
            Thread.sleep(LOOK_MILLIS);
        }
        return true;
    }
}
