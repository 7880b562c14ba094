package dev.reservoir.sim.scenario;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/**
 * Reads and writes latencies in the format of scenario files: {@code 30ms}, {@code 10ms..50ms},
 * {@code {median: 30ms, p99: 200ms}}, {@code {mean: 20ms}}.
 */
final class LatencyText {
    private static final String ALLOWED =
            "a duration such as 30ms, a range such as 10ms..50ms, {median: 30ms, p99: 200ms} or {mean: 20ms}";
    private static final List<String> KEYS = List.of("median", "p99", "mean");

    /** Longest latency: one day, more than any sensible wait. */
    static final Duration MOST = Duration.ofHours(24);

    private static final String TWO_DOTS = "..";

    private LatencyText() {}

    /** Reads a latency. Notes a mistake and returns null if the node is not one. */
    static @Nullable Latency read(Node node, String key, Mistakes mistakes) {
        Latency latency = null;
        if (node instanceof ScalarNode scalar) {
            latency = simple(scalar.getValue());
        } else if (node instanceof MappingNode) {
            return shaped(Fields.of(node, key, KEYS, mistakes, null));
        }
        if (latency == null) {
            mistakes.value(node, key, ALLOWED);
        }
        return latency;
    }

    private static @Nullable Latency simple(String text) {
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

    private static @Nullable Latency shaped(Fields fields) {
        if (fields.hasOwn("mean")) {
            for (String other : List.of("median", "p99")) {
                if (fields.hasOwn(other)) {
                    fields.mistakes().place(fields.keyAt(other), other, "without mean");
                }
            }
            return Latency.exponential(fields.duration("mean", MOST, Fields.TINY, MOST));
        }
        boolean both = fields.require("median", "with p99, or mean in place of both");
        both &= fields.require("p99", "with median, or mean in place of both");
        Duration median = fields.duration("median", MOST, Fields.TINY, MOST);
        Duration p99 = fields.duration("p99", MOST, Fields.TINY, MOST);
        if (both && fields.areRight("median", "p99") && p99.compareTo(median) < 0) {
            String allowed = "at least the median (" + DurationText.format(median) + ")";
            fields.refuse(fields.at("p99"), "p99", DurationText.format(p99), allowed);
        }
        return Latency.logNormal(median, p99);
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
