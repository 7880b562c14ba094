package dev.reservoir.sim.report;

import dev.reservoir.sim.result.Sample;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * Reduces the samples of one service to fewer points, each of which stands for several consecutive samples. Never loses
 * an extreme: a point keeps the highest of the values that should be low, the lowest of those that should be high, and
 * the whole growth of counters.
 */
final class ThinnedSamples {
    private final List<Sample> samples;
    private final int samplesPerPoint;
    private final int points;

    /**
     * Creates the points.
     *
     * @param samples the samples of one service, by time
     */
    ThinnedSamples(List<Sample> samples, int pointsMax) {
        this.samples = samples;
        this.samplesPerPoint = perPoint(samples.size(), pointsMax);
        this.points = points(samples.size(), samplesPerPoint);
    }

    /** The number of values for each point, so that there are at most {@code pointsMax} points. */
    static int perPoint(int values, int pointsMax) {
        return Math.max(1, (values + pointsMax - 1) / pointsMax);
    }

    static int points(int values, int perPoint) {
        return (values + perPoint - 1) / perPoint;
    }

    /** The highest value of each group of {@code perPoint} values. */
    static long[] most(long[] values, int perPoint) {
        long[] most = new long[points(values.length, perPoint)];
        Arrays.fill(most, Long.MIN_VALUE);
        for (int i = 0; i < values.length; i++) {
            most[i / perPoint] = Math.max(most[i / perPoint], values[i]);
        }
        return most;
    }

    int samplesPerPoint() {
        return samplesPerPoint;
    }

    /** The highest value at each point. */
    long[] most(ToLongFunction<Sample> value) {
        return most(samples.stream().mapToLong(value).toArray(), samplesPerPoint);
    }

    /** The value at the last sample of each point. */
    long[] last(ToLongFunction<Sample> value) {
        long[] last = new long[points];
        for (int i = 0; i < points; i++) {
            last[i] = value.applyAsLong(samples.get(lastOf(i)));
        }
        return last;
    }

    /** The value at that sample of each point at which the usable share of the target was smallest. */
    long[] atLowest(ToLongFunction<Sample> value) {
        long[] lowest = new long[points];
        for (int i = 0; i < points; i++) {
            lowest[i] = value.applyAsLong(lowestOf(i));
        }
        return lowest;
    }

    /** The growth of a counter from point to point. */
    long[] growth(ToLongFunction<Sample> count) {
        long[] growth = last(count);
        for (int i = points - 1; i > 0; i--) {
            growth[i] -= growth[i - 1];
        }
        return growth;
    }

    private int lastOf(int point) {
        return Math.min(samples.size(), (point + 1) * samplesPerPoint) - 1;
    }

    private Sample lowestOf(int point) {
        Sample lowest = samples.get(point * samplesPerPoint);
        for (int i = point * samplesPerPoint + 1; i <= lastOf(point); i++) {
            Sample sample = samples.get(i);
            // Compares usable / target without dividing.
            if ((long) sample.usable() * lowest.target() <= (long) lowest.usable() * sample.target()) {
                lowest = sample;
            }
        }
        return lowest;
    }
}
