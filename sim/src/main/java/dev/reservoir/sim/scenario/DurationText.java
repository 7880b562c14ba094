package dev.reservoir.sim.scenario;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Durations as scenario files write them: {@code 1m30s}, {@code 250ms}, {@code 1.5h}, {@code 0}, and ISO-8601
 * ({@code PT90S}). What is written here is read back as the same duration.
 */
public final class DurationText {
    private static final Pattern PART = Pattern.compile("(\\d+\\.?\\d*|\\.\\d+)(ns|us|µs|μs|ms|s|m|h)");
    private static final BigDecimal NANOS_MAX = BigDecimal.valueOf(Long.MAX_VALUE);
    private static final long MICRO = 1_000L;
    private static final long MILLI = 1_000_000L;
    private static final long SECOND = 1_000_000_000L;
    private static final long MINUTE = 60 * SECOND;
    private static final long HOUR = 60 * MINUTE;

    /** Longer texts are no durations, and would only cost time. */
    private static final int LENGTH_MAX = 64;

    private DurationText() {}

    /** Reads a duration, which may be negative; null if the text is none. */
    public static @Nullable Duration parse(String text) {
        boolean negative = text.startsWith("-");
        String unsigned = negative || text.startsWith("+") ? text.substring(1) : text;
        if (unsigned.length() > LENGTH_MAX) {
            return null;
        }
        Duration duration;
        if (unsigned.equals("0")) {
            duration = Duration.ZERO;
        } else {
            duration = unsigned.startsWith("P") ? iso(unsigned) : parts(unsigned);
        }
        return duration == null || !negative ? duration : duration.negated();
    }

    private static @Nullable Duration iso(String text) {
        try {
            return Duration.ofNanos(Duration.parse(text).toNanos());
        } catch (DateTimeParseException | ArithmeticException noneOrTooLong) {
            return null;
        }
    }

    private static @Nullable Duration parts(String text) {
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
            case "ns" -> 1;
            case "ms" -> MILLI;
            case "s" -> SECOND;
            case "m" -> MINUTE;
            case "h" -> HOUR;
            default -> MICRO;
        };
    }

    /** Writes a duration that is not negative, with the fewest parts: {@code 1h}, {@code 1m30s}, {@code 1.5s}, {@code 250ms}. */
    public static String format(Duration duration) {
        long nanos = duration.toNanos();
        if (nanos == 0) {
            return "0s";
        }
        if (nanos < SECOND) {
            if (nanos % MILLI == 0) {
                return nanos / MILLI + "ms";
            }
            return nanos % MICRO == 0 ? nanos / MICRO + "us" : nanos + "ns";
        }
        StringBuilder text = new StringBuilder();
        append(text, nanos / HOUR, "h");
        append(text, nanos % HOUR / MINUTE, "m");
        long rest = nanos % MINUTE;
        if (rest > 0) {
            text.append(BigDecimal.valueOf(rest, 9).stripTrailingZeros().toPlainString())
                    .append('s');
        }
        return text.toString();
    }

    private static void append(StringBuilder text, long count, String unit) {
        if (count > 0) {
            text.append(count).append(unit);
        }
    }
}
