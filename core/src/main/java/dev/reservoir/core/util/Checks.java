package dev.reservoir.core.util;

import java.time.Duration;

/** Rejects invalid settings. The exception names the key, the value and the allowed range. */
public final class Checks {
    private Checks() {}

    public static int between(String key, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(
                    key + " is " + value + "; allowed: " + (min == max ? "" + min : min + " to " + max));
        }
        return value;
    }

    public static long nanosBetween(String key, Duration value, Duration min, Duration max) {
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            throw new IllegalArgumentException(key + " is " + value + "; allowed: " + min + " to " + max);
        }
        return value.toNanos();
    }
}
