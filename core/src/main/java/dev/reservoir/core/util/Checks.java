package dev.reservoir.core.util;

import dev.reservoir.core.SettingException;
import java.time.Duration;

/** Rejects settings outside their range with a {@link SettingException}. */
public final class Checks {
    private Checks() {}

    public static int between(String key, int value, int least, int most) {
        if (value < least || value > most) {
            throw new SettingException(key, value, least == most ? "" + least : least + " to " + most);
        }
        return value;
    }

    public static long nanosBetween(String key, Duration value, Duration least, Duration most) {
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new SettingException(key, value, DurationText.format(least) + " to " + DurationText.format(most));
        }
        return value.toNanos();
    }
}
