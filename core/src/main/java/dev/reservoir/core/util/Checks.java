package dev.reservoir.core.util;

import dev.reservoir.core.SettingException;
import java.time.Duration;

/** Rejects settings outside their range with a {@link SettingException}. */
public final class Checks {
    private Checks() {}

    public static int between(String key, int value, int min, int max) {
        if (value < min || value > max) {
            throw new SettingException(key, value, min == max ? "" + min : min + " to " + max);
        }
        return value;
    }

    public static long nanosBetween(String key, Duration value, Duration min, Duration max) {
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            throw new SettingException(key, value, DurationText.format(min) + " to " + DurationText.format(max));
        }
        return value.toNanos();
    }
}
