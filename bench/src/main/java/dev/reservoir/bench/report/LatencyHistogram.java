package dev.reservoir.bench.report;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAccumulator;

/**
 * Counts durations in buckets no wider than 1/128 of their value, from any number of threads. Keeps the longest
 * duration exactly. Never locks and never grows.
 */
public final class LatencyHistogram {

    private static final int SUB_BITS = 7;
    private static final int SUB_BUCKETS = 1 << SUB_BITS;

    private final AtomicLongArray counts = new AtomicLongArray((Long.SIZE - SUB_BITS) * SUB_BUCKETS);
    private final LongAccumulator longestNanos = new LongAccumulator(Math::max, 0);

    public void record(long nanos) {
        long counted = Math.max(0, nanos);
        counts.incrementAndGet(bucketOf(counted));
        longestNanos.accumulate(counted);
    }

    /** Adds the counts of another histogram. */
    public void add(LatencyHistogram other) {
        for (int i = 0; i < counts.length(); i++) {
            counts.addAndGet(i, other.counts.get(i));
        }
        longestNanos.accumulate(other.longestNanos());
    }

    public long count() {
        long sum = 0;
        for (int i = 0; i < counts.length(); i++) {
            sum += counts.get(i);
        }
        return sum;
    }

    public long longestNanos() {
        return longestNanos.get();
    }

    /** The duration that this share of all durations does not exceed, or 0 if there are none. */
    public long quantileNanos(double share) {
        if (!(share > 0 && share <= 1)) {
            throw new IllegalArgumentException("share = " + share + ", allowed: more than 0, up to 1");
        }
        long rank = (long) Math.ceil(share * count());
        long seen = 0;
        for (int i = 0; i < counts.length() && rank > 0; i++) {
            seen += counts.get(i);
            if (seen >= rank) {
                return Math.min(highestOf(i), longestNanos());
            }
        }
        return 0;
    }

    /** Values up to 127 have a bucket each. Above that, each power of two is divided into 128 buckets. */
    private static int bucketOf(long nanos) {
        if (nanos < SUB_BUCKETS) {
            return (int) nanos;
        }
        int shift = Long.SIZE - 1 - Long.numberOfLeadingZeros(nanos) - SUB_BITS;
        return (shift + 1) * SUB_BUCKETS + (int) ((nanos >>> shift) - SUB_BUCKETS);
    }

    private static long highestOf(int bucket) {
        if (bucket < SUB_BUCKETS) {
            return bucket;
        }
        int shift = bucket / SUB_BUCKETS - 1;
        long lowest = (long) (SUB_BUCKETS + bucket % SUB_BUCKETS) << shift;
        return lowest + (1L << shift) - 1;
    }
}
