package dev.reservoir.demo.view;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Formats numbers for people. */
final class NumberText {
    private NumberText() {}

    /** Formats a latency. One that is negative or null is unknown and becomes {@code -}. */
    static String millis(@Nullable Double millis) {
        if (millis == null || millis < 0) {
            return "-";
        }
        return millis < 10_000
                ? String.format(Locale.ROOT, "%,.0f ms", millis)
                : String.format(Locale.ROOT, "%.1f s", millis / 1e3);
    }

    /** Formats a time since the start. */
    static String clock(double seconds) {
        long whole = (long) seconds;
        return String.format(Locale.ROOT, "%d:%02d", whole / 60, whole % 60);
    }
}
