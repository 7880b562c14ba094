package dev.reservoir.core.util;

import dev.reservoir.core.Durations;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counts durations in buckets, eight for each doubling, so that a percentile is at most one eighth too high. To record
 * takes two or three atomic operations and allocates nothing.
 */
public final class Histogram {
    private static final int SUB_BITS = 3;
    private static final int SUB = 1 << SUB_BITS;
    private static final int BUCKETS = (64 - SUB_BITS) * SUB;

    private final AtomicLongArray counts = new AtomicLongArray(BUCKETS);
    private final AtomicLong sumNanos = new AtomicLong();
    private final AtomicLong maxNanos = new AtomicLong();

    public void record(long nanos) {
        long value = Math.max(0, nanos);
        counts.getAndIncrement(bucket(value));
        sumNanos.getAndAdd(value);
        if (value > maxNanos.get()) {
            maxNanos.accumulateAndGet(value, Math::max);
        }
    }

    /** A summary of all recorded durations. */
    public Durations snapshot() {
        return snapshot(new Histogram(), 0);
    }

    /**
     * A summary of all recorded durations and of {@code sampled} more, of which the other histogram holds a sample.
     * Without a sample these count as zero.
     */
    public Durations snapshot(Histogram sample, long sampled) {
        long[] copy = new long[BUCKETS];
        long count = 0;
        long ofSample = 0;
        for (int i = 0; i < BUCKETS; i++) {
            copy[i] = counts.get(i);
            count += copy[i];
            ofSample += sample.counts.get(i);
        }
        double scale = ofSample == 0 ? 0 : (double) sampled / ofSample;
        long left = sampled;
        int largest = 0;
        for (int i = 0; i < BUCKETS && ofSample > 0; i++) {
            long seen = sample.counts.get(i);
            long added = Math.min(left, (long) (seen * scale));
            copy[i] += added;
            left -= added;
            largest = seen > sample.counts.get(largest) ? i : largest;
        }
        // The remainder that rounding left.
        copy[largest] += left;
        count += sampled;
        long max = Math.max(maxNanos.get(), sampled == 0 ? 0 : sample.maxNanos.get());
        return new Durations(
                count,
                sumNanos.get() + (long) (sample.sumNanos.get() * scale),
                max,
                percentile(copy, count, 0.5, max),
                percentile(copy, count, 0.99, max),
                percentile(copy, count, 0.999, max));
    }

    private static long percentile(long[] copy, long count, double share, long max) {
        long rank = (long) Math.ceil(count * share);
        long seen = 0;
        for (int i = 0; i < BUCKETS && rank > 0; i++) {
            seen += copy[i];
            if (seen >= rank) {
                return Math.min(upper(i), max);
            }
        }
        return 0;
    }

    static int bucket(long nanos) {
        if (nanos < SUB) {
            return (int) nanos;
        }
        int octave = 63 - Long.numberOfLeadingZeros(nanos);
        int sub = (int) (nanos >>> (octave - SUB_BITS)) & (SUB - 1);
        return (octave - SUB_BITS + 1) * SUB + sub;
    }

    /** The largest duration that falls into the bucket. */
    static long upper(int bucket) {
        if (bucket < SUB) {
            return bucket;
        }
        int octave = bucket / SUB + SUB_BITS - 1;
        long step = 1L << (octave - SUB_BITS);
        return (1L << octave) + (bucket % SUB + 1) * step - 1;
    }
}
