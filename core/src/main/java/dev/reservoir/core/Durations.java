package dev.reservoir.core;

import java.util.ArrayList;
import java.util.List;

/**
 * A summary of many durations. A percentile is at most one eighth too high.
 *
 * @param count the number of durations
 * @param sumNanos their sum
 * @param maxNanos the longest
 * @param p50Nanos half of them were no longer than this
 * @param p99Nanos 99 of 100 were no longer than this
 * @param p999Nanos 999 of 1,000 were no longer than this
 * @param atMost how many were no longer than each of {@link #BOUNDS_NANOS}; a duration that is up to one eighth shorter
 *     than a bound may be missing in its number. Such numbers can be added up over many processes
 */
public record Durations(
        long count, long sumNanos, long maxNanos, long p50Nanos, long p99Nanos, long p999Nanos, List<Long> atMost) {

    /** The bounds of {@link #atMost}: from 1 us, less than most checkouts of a ready connection take, to a minute. */
    public static final List<Long> BOUNDS_NANOS = List.of(
            1_000L,
            10_000L,
            100_000L,
            250_000L,
            500_000L,
            1_000_000L,
            2_500_000L,
            5_000_000L,
            10_000_000L,
            25_000_000L,
            50_000_000L,
            100_000_000L,
            250_000_000L,
            500_000_000L,
            1_000_000_000L,
            2_500_000_000L,
            5_000_000_000L,
            10_000_000_000L,
            30_000_000_000L,
            60_000_000_000L);

    public Durations {
        atMost = List.copyOf(atMost);
        if (atMost.size() != BOUNDS_NANOS.size()) {
            throw new IllegalArgumentException(
                    "atMost has " + atMost.size() + " numbers; allowed: " + BOUNDS_NANOS.size());
        }
    }

    /** The same with counts and a sum that are no less than those of an earlier summary. */
    public Durations noLessThan(Durations before) {
        List<Long> higher = new ArrayList<>(atMost.size());
        for (int i = 0; i < atMost.size(); i++) {
            higher.add(Math.max(atMost.get(i), before.atMost.get(i)));
        }
        return new Durations(
                Math.max(count, before.count),
                Math.max(sumNanos, before.sumNanos),
                maxNanos,
                p50Nanos,
                p99Nanos,
                p999Nanos,
                higher);
    }

    /** The same with another sum. */
    public Durations withSum(long nanos) {
        return new Durations(count, nanos, maxNanos, p50Nanos, p99Nanos, p999Nanos, atMost);
    }
}
