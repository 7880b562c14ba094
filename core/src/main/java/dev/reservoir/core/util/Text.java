package dev.reservoir.core.util;

import java.util.Locale;

/** Formats numbers and errors for people. */
public final class Text {
    /** Bounds the text that a message quotes from an exception, because some drivers write whole pages. */
    private static final int WORDS_MAX = 400;

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

    /** The class and message of an exception on one line. */
    public static String oneLine(Throwable error) {
        return String.valueOf(error).replaceAll("\\s+", " ");
    }

    /**
     * The message of an exception on one line, or its class if it has none. A text that is too long is cut and ends
     * with three dots.
     */
    public static String words(Throwable error) {
        String message = error.getMessage();
        return message == null || message.isBlank() ? error.getClass().getName() : shortLine(message);
    }

    /** The text on one line. A text that is too long is cut and ends with three dots. */
    public static String shortLine(String text) {
        String line = text.strip().replaceAll("\\s+", " ");
        return line.length() <= WORDS_MAX ? line : line.substring(0, WORDS_MAX) + "...";
    }

    /** A rate without needless digits: {@code 100/s}, {@code 0.5/s}. */
    public static String perSecond(double rate) {
        return rate == Math.rint(rate) ? (long) rate + "/s" : String.format(Locale.ROOT, "%.2f/s", rate);
    }
}
