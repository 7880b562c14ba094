package dev.reservoir.dsql.tx;

import dev.reservoir.core.Durations;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A histogram of durations with eight buckets for each doubling of a microsecond, so that a percentile is at most an
 * eighth too high. Recording allocates nothing and never blocks.
 */
final class TransactionDurations {
    private static final int STEPS = 8;

    /** Number of doublings. The last bucket takes every longer duration. */
    private static final int DOUBLINGS = 36;

    private static final long UNIT_NANOS = 1_000;

    private final AtomicLongArray counts = new AtomicLongArray(DOUBLINGS * STEPS);
    private final AtomicLong sumNanos = new AtomicLong();
    private final AtomicLong maxNanos = new AtomicLong();

    void record(long nanos) {
        long value = Math.max(0, nanos);
        counts.getAndIncrement(bucketOf(value / UNIT_NANOS));
        sumNanos.getAndAdd(value);
        maxNanos.accumulateAndGet(value, Math::max);
    }

    Durations snapshot() {
        long[] copy = new long[counts.length()];
        long all = 0;
        for (int i = 0; i < copy.length; i++) {
            copy[i] = counts.get(i);
            all += copy[i];
        }
        return new Durations(
                all,
                sumNanos.get(),
                maxNanos.get(),
                percentile(copy, all, 0.5),
                percentile(copy, all, 0.99),
                percentile(copy, all, 0.999));
    }

    private long percentile(long[] copy, long all, double share) {
        long rank = (long) Math.ceil(all * share);
        long seen = 0;
        for (int i = 0; i < copy.length && rank > 0; i++) {
            seen += copy[i];
            if (seen >= rank) {
                return Math.min(maxNanos.get(), endOf(i) * UNIT_NANOS);
            }
        }
        return 0;
    }

    private static int bucketOf(long units) {
        if (units < STEPS) {
            return (int) units;
        }
        int doubling = 63 - Long.numberOfLeadingZeros(units) - 2;
        int step = (int) (units >>> (doubling - 1)) - STEPS;
        return Math.min(DOUBLINGS * STEPS - 1, doubling * STEPS + step);
    }

    /** Returns the end of a bucket in units. Every duration in the bucket is shorter. */
    private static long endOf(int bucket) {
        int doubling = bucket / STEPS;
        return doubling == 0 ? bucket + 1L : (long) (STEPS + bucket % STEPS + 1) << (doubling - 1);
    }
}
