package dev.reservoir.jdbc;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Durations as people write them: Go's way ({@code 1h30m}, {@code 250ms}) and that of ISO-8601 ({@code PT11M}). */
final class DurationText {
    static final String ALLOWED = "a duration such as 11m, 1h30m, 45s, 1.5s, 250ms, 100us, 5ns or PT11M";

    private static final Pattern PART = Pattern.compile("(\\d+\\.?\\d*|\\.\\d+)(ns|us|µs|μs|ms|s|m|h)");
    private static final BigDecimal NANOS_MAX = BigDecimal.valueOf(Long.MAX_VALUE);

    /** Longer texts are no durations, and would only cost time. */
    private static final int LENGTH_MAX = 64;

    private DurationText() {}

    /** Reads a duration; an {@link IllegalArgumentException} names the key, the text and what is allowed. */
    static Duration parse(String key, String text) {
        String trimmed = text.strip();
        boolean negative = trimmed.startsWith("-");
        String unsigned = negative || trimmed.startsWith("+") ? trimmed.substring(1) : trimmed;
        Duration duration = unsigned.length() > LENGTH_MAX ? null : unsigned(unsigned);
        if (duration == null) {
            throw new IllegalArgumentException(key + " is \"" + text + "\"; allowed: " + ALLOWED);
        }
        return negative ? duration.negated() : duration;
    }

    private static @Nullable Duration unsigned(String text) {
        if (text.equals("0")) {
            return Duration.ZERO;
        }
        return text.startsWith("P") || text.startsWith("p") ? iso(text) : go(text);
    }

    private static @Nullable Duration iso(String text) {
        try {
            return Duration.ofNanos(Duration.parse(text).toNanos());
        } catch (DateTimeParseException | ArithmeticException e) {
            return null;
        }
    }

    private static @Nullable Duration go(String text) {
        Matcher part = PART.matcher(text);
        BigDecimal nanos = BigDecimal.ZERO;
        int at = 0;
        while (at < text.length() && part.find(at) && part.start() == at) {
            nanos = nanos.add(new BigDecimal(part.group(1)).multiply(BigDecimal.valueOf(unitNanos(part.group(2)))));
            at = part.end();
        }
        boolean whole = at > 0 && at == text.length();
        return whole && nanos.compareTo(NANOS_MAX) <= 0 ? Duration.ofNanos(nanos.longValue()) : null;
    }

    private static long unitNanos(String unit) {
        return switch (unit) {
            case "ns" -> 1L;
            case "ms" -> 1_000_000L;
            case "s" -> 1_000_000_000L;
            case "m" -> 60_000_000_000L;
            case "h" -> 3_600_000_000_000L;
            default -> 1_000L;
        };
    }

    /** Go's way of writing a duration: {@code 11m0s}, {@code 12.3s}, {@code 250ms}, {@code 0s}. */
    static String format(long nanos) {
        if (nanos < 0) {
            return nanos == Long.MIN_VALUE ? "-" + format(Long.MAX_VALUE) : "-" + format(-nanos);
        }
        if (nanos < 1_000_000_000L) {
            return nanos == 0 ? "0s" : belowOneSecond(nanos);
        }
        long hours = nanos / unitNanos("h");
        long minutes = nanos / unitNanos("m") % 60;
        String seconds = decimal(nanos % unitNanos("m"), 9) + "s";
        if (hours > 0) {
            return hours + "h" + minutes + "m" + seconds;
        }
        return minutes > 0 ? minutes + "m" + seconds : seconds;
    }

    /** The same without what is below a millisecond, which nobody reads in a log. */
    static String formatMillis(long nanos) {
        return format(nanos / 1_000_000 * 1_000_000);
    }

    static String format(Duration duration) {
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
