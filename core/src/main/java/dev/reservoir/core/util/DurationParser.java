package dev.reservoir.core.util;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Parses durations in Go's syntax ({@code 1h30m}, {@code 250ms}) and in that of ISO-8601 ({@code PT11M}). */
public final class DurationParser {
    private static final Pattern PART = Pattern.compile("(\\d+\\.?\\d*|\\.\\d+)(ns|us|µs|μs|ms|s|m|h)");
    private static final BigDecimal NANOS_MAX = BigDecimal.valueOf(Long.MAX_VALUE);

    /** Bounds the length of a text that is parsed. A longer text is no duration, and to parse it would waste time. */
    private static final int LENGTH_MAX = 64;

    private DurationParser() {}

    /**
     * Parses a duration, which may have a sign. Returns null if the text is none, or if it exceeds 292 years. Does not
     * block.
     */
    public static @Nullable Duration parse(String text) {
        boolean negative = text.startsWith("-");
        String unsigned = negative || text.startsWith("+") ? text.substring(1) : text;
        Duration duration = unsigned.length() > LENGTH_MAX ? null : unsigned(unsigned);
        return duration != null && negative ? duration.negated() : duration;
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
        } catch (DateTimeParseException | ArithmeticException noneOrTooLong) {
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
}
