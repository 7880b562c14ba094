package dev.reservoir.sim.scenario;

import dev.reservoir.core.util.DurationParser;
import java.math.BigDecimal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes durations in the format of scenario files: {@code 1m30s}, {@code 250ms}, {@code 1.5h}, {@code 0},
 * and ISO-8601 ({@code PT90S}). Reading back a written duration gives the same duration.
 */
public final class DurationText {
    private static final long MICRO = 1_000L;
    private static final long MILLI = 1_000_000L;
    private static final long SECOND = 1_000_000_000L;
    private static final long MINUTE = 60 * SECOND;
    private static final long HOUR = 60 * MINUTE;

    private DurationText() {}

    /** Reads a duration, which may be negative. Returns null if the text is not a duration. */
    public static @Nullable Duration parse(String text) {
        return DurationParser.parse(text);
    }

    /**
     * Writes a duration in the fewest parts: {@code 1h}, {@code 1m30s}, {@code 1.5s}, {@code 250ms}. The duration must
     * not be negative.
     */
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
