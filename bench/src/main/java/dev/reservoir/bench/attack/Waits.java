package dev.reservoir.bench.attack;

import java.time.Duration;
import java.util.concurrent.Callable;

/** Waits for a limited time. */
final class Waits {

    private static final long LOOK_MILLIS = 10;

    private Waits() {}

    /** Blocks until the condition holds, up to the limit. Returns whether it holds. */
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
