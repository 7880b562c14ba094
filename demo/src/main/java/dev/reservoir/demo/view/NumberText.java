package dev.reservoir.demo.view;

import java.util.Locale;

/** Numbers as people read them. */
final class NumberText {
    private NumberText() {}

    /** A latency; {@code -} for one that is not known. */
    static String millis(double millis) {
        if (millis < 0) {
            return "-";
        }
        return millis < 10_000
                ? String.format(Locale.ROOT, "%,.0f ms", millis)
                : String.format(Locale.ROOT, "%.1f s", millis / 1e3);
    }

    /** A time since the beginning. */
    static String clock(double seconds) {
        long whole = (long) seconds;
        return String.format(Locale.ROOT, "%d:%02d", whole / 60, whole % 60);
    }
}
