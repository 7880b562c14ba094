package dev.reservoir.sim.report;

import dev.reservoir.sim.result.Sample;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * The samples of one service, thinned: each point stands for a few samples that follow each other. Never loses an extreme: a
 * point has the highest of what should be low, the lowest of what should be high, and all of what is counted.
 */
final class ThinnedSamples {
    private final List<Sample> samples;
    private final int samplesPerPoint;
    private final int points;

    /**
     * @param samples of one service, by time
     */
    ThinnedSamples(List<Sample> samples, int pointsMax) {
        this.samples = samples;
        this.samplesPerPoint = perPoint(samples.size(), pointsMax);
        this.points = points(samples.size(), samplesPerPoint);
    }

    /** How many values stand for one, so that there are at most so many. */
    static int perPoint(int values, int pointsMax) {
        return Math.max(1, (values + pointsMax - 1) / pointsMax);
    }

    static int points(int values, int perPoint) {
        return (values + perPoint - 1) / perPoint;
    }

    /** The highest of each few. */
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

    /** The value at that sample of each point at which the smallest share of the target was usable. */
    long[] atLowest(ToLongFunction<Sample> value) {
        long[] lowest = new long[points];
        for (int i = 0; i < points; i++) {
            lowest[i] = value.applyAsLong(lowestOf(i));
        }
        return lowest;
    }

    /** How much a count grew from point to point. */
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
            // usable / target, compared without dividing
            if ((long) sample.usable() * lowest.target() <= (long) lowest.usable() * sample.target()) {
                lowest = sample;
            }
        }
        return lowest;
    }
}
