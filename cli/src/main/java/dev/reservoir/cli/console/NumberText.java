package dev.reservoir.cli.console;

import java.util.Locale;

/** Formats numbers for people. */
public final class NumberText {
    private NumberText() {}

    /** A number with separators: {@code 12,000}. */
    public static String number(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    /** A number of things: {@code 1 process}, {@code 3 processes}, {@code 12,000 connections}. */
    public static String count(long count, String what) {
        String plural = what.endsWith("s") ? what + "es" : what + "s";
        return number(count) + " " + (count == 1 ? what : plural);
    }
}
