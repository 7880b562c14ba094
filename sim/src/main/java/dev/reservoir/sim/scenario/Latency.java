package dev.reservoir.sim.scenario;

import dev.reservoir.core.util.Text;
import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * How long something takes, drawn anew each time. The same draws give the same times on every machine.
 *
 * @param shape the distribution
 * @param first fixed: the time; uniform: the least; log-normal: the median; exponential: the mean
 * @param second uniform: the most; log-normal: the 99th percentile; otherwise as the first
 */
public record Latency(Shape shape, Duration first, Duration second) {
    /** The 99th percentile of the standard normal distribution. */
    private static final double Z99 = 2.3263478740408408;

    /** A distribution. */
    public enum Shape {
        FIXED,
        UNIFORM,
        LOG_NORMAL,
        EXPONENTIAL
    }

    /** Always the same time. */
    public static Latency fixed(Duration time) {
        return new Latency(Shape.FIXED, time, time);
    }

    /** Evenly between two times. */
    public static Latency uniform(Duration least, Duration most) {
        return new Latency(Shape.UNIFORM, least, most);
    }

    /** Mostly about the median, at times much more. */
    public static Latency logNormal(Duration median, Duration p99) {
        return new Latency(Shape.LOG_NORMAL, median, p99);
    }

    /** Memoryless. */
    public static Latency exponential(Duration mean) {
        return new Latency(Shape.EXPONENTIAL, mean, mean);
    }

    /** Draws a time, in nanoseconds. */
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
        // Box and Muller: the generators' own nextGaussian may differ between versions of Java.
        double normal = StrictMath.sqrt(-2 * StrictMath.log(1 - random.nextDouble()))
                * StrictMath.cos(2 * StrictMath.PI * random.nextDouble());
        return (long) (medianNanos * StrictMath.exp(sigma * normal));
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
