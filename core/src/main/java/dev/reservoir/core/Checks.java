package dev.reservoir.core;

import java.time.Duration;

/** Refuses settings, naming the key, the value and what is allowed. */
final class Checks {
    private Checks() {}

    static int between(String key, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(
                    key + " is " + value + "; allowed: " + (least == most ? "" + least : least + " to " + most));
        }
        return value;
    }

    static long nanosBetween(String key, Duration value, Duration least, Duration most) {
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new IllegalArgumentException(key + " is " + value + "; allowed: " + least + " to " + most);
        }
        return value.toNanos();
    }
}
