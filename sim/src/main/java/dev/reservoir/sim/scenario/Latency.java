package dev.reservoir.sim.scenario;

import dev.reservoir.core.util.Text;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A distribution of durations, from which each use draws a new value. The same draws give the same durations on every
 * machine.
 *
 * @param shape the kind of distribution
 * @param first fixed: the duration; uniform: the shortest; log-normal: the median; exponential: the mean
 * @param second uniform: the longest; log-normal: the 99th percentile; otherwise the same as the first
 */
public record Latency(Shape shape, Duration first, Duration second) {
    static final String ALLOWED =
            "a duration such as 30ms, a range such as 10ms..50ms, {median: 30ms, p99: 200ms} or {mean: 20ms}";

    /** Longest latency: one day, more than any sensible wait. */
    static final Duration MOST = Duration.ofHours(24);

    private static final String TWO_DOTS = "..";

    /** The 99th percentile of the standard normal distribution. */
    private static final double Z99 = 2.3263478740408408;

    /** A kind of distribution. */
    public enum Shape {
        FIXED,
        UNIFORM,
        LOG_NORMAL,
        EXPONENTIAL
    }

    /** A latency that is always the same. */
    public static Latency fixed(Duration time) {
        return new Latency(Shape.FIXED, time, time);
    }

    /** A latency spread evenly between two durations. */
    public static Latency uniform(Duration least, Duration most) {
        return new Latency(Shape.UNIFORM, least, most);
    }

    /** A latency that is usually near the median and sometimes much longer. */
    public static Latency logNormal(Duration median, Duration p99) {
        return new Latency(Shape.LOG_NORMAL, median, p99);
    }

    /** An exponentially distributed latency: the time already waited says nothing about the time left. */
    public static Latency exponential(Duration mean) {
        return new Latency(Shape.EXPONENTIAL, mean, mean);
    }

    /** The latency that is always the shortest, the median or the mean of this one. */
    public Latency withoutSpread() {
        return fixed(first);
    }

    /** The same shape around another duration. Its spread grows in proportion. Without a spread it stays without. */
    public Latency around(Duration time) {
        if (shape == Shape.FIXED || first.isZero() || time.isZero()) {
            return fixed(time);
        }
        double factor = (double) time.toNanos() / first.toNanos();
        return new Latency(shape, time, Duration.ofNanos((long) (second.toNanos() * factor)));
    }

    /** Draws a duration, in nanoseconds. */
    public long draw(RandomGenerator random) {
        long a = first.toNanos();
        return switch (shape) {
            case FIXED -> a;
            case UNIFORM -> a + (long) (random.nextDouble() * (second.toNanos() - a));
            case LOG_NORMAL -> logNormal(random, a);
            case EXPONENTIAL -> (long) (-a * StrictMath.log(1 - random.nextDouble()));
        };
    }

    private long logNormal(RandomGenerator random, long medianNanos) {
        double sigma = StrictMath.log((double) second.toNanos() / medianNanos) / Z99;
        // The Box-Muller method. A generator's own nextGaussian may differ between versions of Java.
        double normal = StrictMath.sqrt(-2 * StrictMath.log(1 - random.nextDouble()))
                * StrictMath.cos(2 * StrictMath.PI * random.nextDouble());
        return (long) (medianNanos * StrictMath.exp(sigma * normal));
    }

    // The format of scenario files.

    /** Reads {@code 30ms} or {@code 10ms..50ms}. Returns null for any other text; the other shapes are maps. */
    static @Nullable Latency parse(String text) {
        int dots = text.indexOf(TWO_DOTS);
        if (dots < 0) {
            Duration fixed = time(text);
            return fixed == null ? null : fixed(fixed);
        }
        Duration least = time(text.substring(0, dots).strip());
        Duration most = time(text.substring(dots + TWO_DOTS.length()).strip());
        return least == null || most == null || least.compareTo(most) > 0 ? null : uniform(least, most);
    }

    private static @Nullable Duration time(String text) {
        Duration time = DurationText.parse(text);
        return time == null || time.isNegative() || time.compareTo(MOST) > 0 ? null : time;
    }

    /** The text in a scenario file. */
    String format() {
        String a = DurationText.format(first);
        String b = DurationText.format(second);
        return switch (shape) {
            case FIXED -> a;
            case UNIFORM -> a + TWO_DOTS + b;
            case LOG_NORMAL -> "{median: " + a + ", p99: " + b + "}";
            case EXPONENTIAL -> "{mean: " + a + "}";
        };
    }

    @Override
    public String toString() {
        String a = Text.nanos(first.toNanos());
        String b = Text.nanos(second.toNanos());
        return switch (shape) {
            case FIXED -> a;
            case UNIFORM -> a + " to " + b;
            case LOG_NORMAL -> "median " + a + ", p99 " + b;
            case EXPONENTIAL -> "mean " + a + ", exponential";
        };
    }
}
