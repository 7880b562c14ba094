package dev.reservoir.core.util;

import java.time.Duration;

/** Rejects invalid settings. The exception names the key, the value and the allowed range. */
public final class Checks {
    private Checks() {}

    public static int between(String key, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(
                    key + " is " + value + "; allowed: " + (least == most ? "" + least : least + " to " + most));
        }
        return value;
    }

    public static long nanosBetween(String key, Duration value, Duration least, Duration most) {
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new IllegalArgumentException(key + " is " + value + "; allowed: " + least + " to " + most);
        }
        return value.toNanos();
    }
}
