package dev.reservoir.core;

import java.util.Locale;

/** Numbers as people read them. */
public final class Text {
    private Text() {}

    /** A duration with its unit: {@code 250 ms}, {@code 1.8 s}, {@code 41 s}, {@code 11 min}. */
    public static String nanos(long nanos) {
        if (nanos < 1_000_000L) {
            return nanos / 1_000 + " us";
        }
        if (nanos < 1_000_000_000L) {
            return nanos / 1_000_000 + " ms";
        }
        double seconds = nanos / 1e9;
        if (seconds < 10) {
            return String.format(Locale.ROOT, "%.1f s", seconds);
        }
        return seconds < 600 ? Math.round(seconds) + " s" : Math.round(seconds / 60) + " min";
    }

    /** An exception's kind and message on one line. */
    public static String oneLine(Throwable error) {
        return String.valueOf(error).replaceAll("\\s+", " ");
    }

    /** A rate without needless digits: {@code 100/s}, {@code 0.5/s}. */
    public static String perSecond(double rate) {
        return rate == Math.rint(rate) ? (long) rate + "/s" : String.format(Locale.ROOT, "%.2f/s", rate);
    }
}
