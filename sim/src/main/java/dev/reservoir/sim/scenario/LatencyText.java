package dev.reservoir.sim.scenario;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes latencies in the format of scenario files: {@code 30ms}, {@code 10ms..50ms},
 * {@code {median: 30ms, p99: 200ms}}, {@code {mean: 20ms}}. Reads only the first two, which are single values.
 */
final class LatencyText {
    static final String ALLOWED =
            "a duration such as 30ms, a range such as 10ms..50ms, {median: 30ms, p99: 200ms} or {mean: 20ms}";

    /** Longest latency: one day, more than any sensible wait. */
    static final Duration MOST = Duration.ofHours(24);

    private static final String TWO_DOTS = "..";

    private LatencyText() {}

    /** Reads a latency that is a single value. Returns null if the text is not one. */
    static @Nullable Latency parse(String text) {
        int dots = text.indexOf(TWO_DOTS);
        if (dots < 0) {
            Duration fixed = time(text);
            return fixed == null ? null : Latency.fixed(fixed);
        }
        Duration least = time(text.substring(0, dots).strip());
        Duration most = time(text.substring(dots + TWO_DOTS.length()).strip());
        return least == null || most == null || least.compareTo(most) > 0 ? null : Latency.uniform(least, most);
    }

    private static @Nullable Duration time(String text) {
        Duration time = DurationText.parse(text);
        return time == null || time.isNegative() || time.compareTo(MOST) > 0 ? null : time;
    }

    /** The text of a latency in a scenario file. */
    static String format(Latency latency) {
        String first = DurationText.format(latency.first());
        String second = DurationText.format(latency.second());
        return switch (latency.shape()) {
            case FIXED -> first;
            case UNIFORM -> first + TWO_DOTS + second;
            case LOG_NORMAL -> "{median: " + first + ", p99: " + second + "}";
            case EXPONENTIAL -> "{mean: " + first + "}";
        };
    }
}
