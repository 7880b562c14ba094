package dev.reservoir.core.util;

import dev.reservoir.core.SettingException;
import java.math.BigDecimal;
import java.time.Duration;

/**
 * Parses and formats durations: in Go's format ({@code 1h30m}, {@code 250ms}), and for parsing also in ISO-8601
 * ({@code PT11M}).
 */
public final class DurationText {
    public static final String ALLOWED = "a duration such as 11m, 1h30m, 45s, 1.5s, 250ms, 100us, 5ns or PT11M";

    private static final long MINUTE = 60_000_000_000L;
    private static final long HOUR = 60 * MINUTE;

    private DurationText() {}

    /**
     * Parses a duration, with or without space around it.
     *
     * @throws SettingException that names the key, the text and what is allowed
     */
    public static Duration parse(String key, String text) {
        Duration duration = DurationParser.parse(text.strip());
        if (duration == null) {
            throw SettingException.unreadable(key, text, ALLOWED);
        }
        return duration;
    }

    /** Formats a duration as Go does: {@code 11m0s}, {@code 12.3s}, {@code 250ms}, {@code 0s}. */
    public static String format(long nanos) {
        if (nanos < 0) {
            return nanos == Long.MIN_VALUE ? "-" + format(Long.MAX_VALUE) : "-" + format(-nanos);
        }
        if (nanos < 1_000_000_000L) {
            return nanos == 0 ? "0s" : belowOneSecond(nanos);
        }
        long hours = nanos / HOUR;
        long minutes = nanos / MINUTE % 60;
        String seconds = decimal(nanos % MINUTE, 9) + "s";
        if (hours > 0) {
            return hours + "h" + minutes + "m" + seconds;
        }
        return minutes > 0 ? minutes + "m" + seconds : seconds;
    }

    /** Does the same without anything below a millisecond, which has no use in a log. */
    public static String formatMillis(long nanos) {
        return format(nanos / 1_000_000 * 1_000_000);
    }

    public static String format(Duration duration) {
        try {
            return format(duration.toNanos());
        } catch (ArithmeticException beyond292Years) {
            return duration.toHours() + "h" + Math.abs(duration.toMinutesPart()) + "m"
                    + Math.abs(duration.toSecondsPart()) + "s";
        }
    }

    private static String belowOneSecond(long nanos) {
        if (nanos < 1_000L) {
            return nanos + "ns";
        }
        return nanos < 1_000_000L ? decimal(nanos, 3) + "µs" : decimal(nanos, 6) + "ms";
    }

    private static String decimal(long value, int places) {
        BigDecimal number = BigDecimal.valueOf(value, places).stripTrailingZeros();
        return number.scale() < 0 ? number.setScale(0).toPlainString() : number.toPlainString();
    }
}
