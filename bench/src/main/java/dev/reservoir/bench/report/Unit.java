package dev.reservoir.bench.report;

import java.util.Locale;

/** Formats a value for a reader. */
public enum Unit {
    PER_SECOND,
    BYTES,
    NANOS,
    COUNT,
    FACTOR;

    private String write(double value) {
        return switch (this) {
            case PER_SECOND ->
                value >= 1e6
                        ? decimals(value / 1e6) + " M/s"
                        : value >= 1e3 ? decimals(value / 1e3) + " k/s" : decimals(value) + " /s";
            case BYTES -> decimals(value) + " B";
            case NANOS ->
                value >= 1e9
                        ? decimals(value / 1e9) + " s"
                        : value >= 1e6 ? decimals(value / 1e6) + " ms" : decimals(value / 1e3) + " us";
            case COUNT -> String.format(Locale.ROOT, "%,d", Math.round(value));
            case FACTOR -> decimals(value);
        };
    }

    /** The value with its unit, or "never" for an event that did not happen in time. */
    public String format(double value) {
        return Double.isInfinite(value) ? "never" : write(value);
    }

    /** Three significant digits. */
    static String decimals(double value) {
        double size = Math.abs(value);
        if (size >= 99.95) {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        return String.format(Locale.ROOT, size >= 9.995 ? "%.1f" : "%.2f", value);
    }
}
