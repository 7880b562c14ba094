package dev.reservoir.core.util;

import dev.reservoir.core.Durations;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * Counts durations in buckets, a fixed number of them for each doubling. A quantile is never too low. By default it is
 * at most one eighth too high. Any thread may record. To record takes two or three atomic operations and allocates
 * nothing, except that the first duration allocates the buckets. No method blocks.
 */
public final class Histogram {
    /** Eight buckets for each doubling. */
    private static final int DEFAULT_BITS = 3;

    private static final AtomicReferenceFieldUpdater<Histogram, AtomicLongArray> COUNTS =
            AtomicReferenceFieldUpdater.newUpdater(Histogram.class, AtomicLongArray.class, "counts");

    private final int bits;

    /** Null until the first duration, because very many pools may never record one. */
    private volatile @Nullable AtomicLongArray counts;

    private final AtomicLong sumNanos = new AtomicLong();
    private final AtomicLong maxNanos = new AtomicLong();

    /** Quantiles are at most one eighth too high. Takes about 4 kB. */
    public Histogram() {
        this(DEFAULT_BITS);
    }

    /**
     * Has 2 to the power of {@code bits} buckets for each doubling. A quantile is too high by at most that part of its
     * value. With 7 bits the error is below 0.8 % and the memory about 60 kB.
     *
     * @param bits 0 to 10
     */
    public Histogram(int bits) {
        this.bits = Checks.between("bits", bits, 0, 10);
    }

    private int buckets() {
        return (64 - bits) << bits;
    }

    /** Records a duration. A negative one counts as zero. Records nothing if there is no memory for the buckets. */
    public void record(long nanos) {
        AtomicLongArray all = allocated();
        if (all == null) {
            return;
        }
        long value = Math.max(0, nanos);
        all.getAndIncrement(bucket(value));
        sumNanos.getAndAdd(value);
        raiseMax(value);
    }

    /** A caller that records a duration has a connection in its hands, so this must not throw. */
    private @Nullable AtomicLongArray allocated() {
        AtomicLongArray present = counts;
        if (present == null) {
            try {
                COUNTS.compareAndSet(this, null, new AtomicLongArray(buckets()));
            } catch (OutOfMemoryError none) {
                return null;
            }
            present = counts;
        }
        return present;
    }

    /** Adds what another histogram with as many bits has recorded. */
    public void add(Histogram other) {
        if (other.bits != bits) {
            throw new IllegalArgumentException("bits is " + other.bits + "; allowed: " + bits);
        }
        AtomicLongArray all = allocated();
        AtomicLongArray others = other.counts;
        if (all == null || others == null) {
            return;
        }
        for (int i = 0; i < all.length(); i++) {
            all.getAndAdd(i, others.get(i));
        }
        sumNanos.getAndAdd(other.sumNanos.get());
        raiseMax(other.maxNanos());
    }

    private void raiseMax(long value) {
        if (value > maxNanos.get()) {
            maxNanos.accumulateAndGet(value, Math::max);
        }
    }

    /** How many durations were recorded. */
    public long count() {
        return sum(copy());
    }

    /** The longest duration, exactly. Zero if there are none. */
    public long maxNanos() {
        return maxNanos.get();
    }

    /**
     * The duration that this share of all durations does not exceed. Zero if there are none.
     *
     * @param share more than 0, at most 1
     */
    public long quantileNanos(double share) {
        if (!(share > 0 && share <= 1)) {
            throw new IllegalArgumentException("share is " + share + "; allowed: more than 0, at most 1");
        }
        long[] copy = copy();
        return quantile(copy, sum(copy), share, maxNanos.get());
    }

    /** A summary of all recorded durations. */
    public Durations snapshot() {
        return snapshot(new Histogram(bits), 0);
    }

    /**
     * A summary of all recorded durations and of {@code sampled} more, of which the other histogram holds a sample.
     * Without a sample these count as zero.
     */
    public Durations snapshot(Histogram sample, long sampled) {
        long[] copy = copy();
        long[] seen = sample.copy();
        long ofSample = sum(seen);
        double scale = ofSample == 0 ? 0 : (double) sampled / ofSample;
        long left = sampled;
        int largest = 0;
        for (int i = 0; i < seen.length && ofSample > 0; i++) {
            long added = Math.min(left, (long) (seen[i] * scale));
            copy[i] += added;
            left -= added;
            largest = seen[i] > seen[largest] ? i : largest;
        }
        // The remainder that rounding left.
        copy[largest] += left;
        long count = sum(copy);
        long max = Math.max(maxNanos.get(), sampled == 0 ? 0 : sample.maxNanos.get());
        return new Durations(
                count,
                sumNanos.get() + (long) (sample.sumNanos.get() * scale),
                max,
                quantile(copy, count, 0.5, max),
                quantile(copy, count, 0.99, max),
                quantile(copy, count, 0.999, max),
                atMost(copy));
    }

    /** How many durations surely were no longer than each of {@link Durations#BOUNDS_NANOS}. */
    private List<Long> atMost(long[] copy) {
        List<Long> numbers = new ArrayList<>(Durations.BOUNDS_NANOS.size());
        long seen = 0;
        int next = 0;
        for (long bound : Durations.BOUNDS_NANOS) {
            while (next < copy.length && upper(next) <= bound) {
                seen += copy[next++];
            }
            numbers.add(seen);
        }
        return numbers;
    }

    private long[] copy() {
        long[] copy = new long[buckets()];
        AtomicLongArray all = counts;
        for (int i = 0; all != null && i < copy.length; i++) {
            copy[i] = all.get(i);
        }
        return copy;
    }

    private static long sum(long[] counts) {
        long sum = 0;
        for (long count : counts) {
            sum += count;
        }
        return sum;
    }

    private long quantile(long[] copy, long count, double share, long max) {
        long rank = (long) Math.ceil(count * share);
        long seen = 0;
        for (int i = 0; i < copy.length && rank > 0; i++) {
            seen += copy[i];
            if (seen >= rank) {
                return Math.min(upper(i), max);
            }
        }
        return 0;
    }

    int bucket(long nanos) {
        if (nanos < 1L << bits) {
            return (int) nanos;
        }
        int shift = 63 - Long.numberOfLeadingZeros(nanos) - bits;
        // The leading bit of the shifted value stands for the first bucket of the next doubling.
        return (shift << bits) + (int) (nanos >>> shift);
    }

    /** The largest duration that falls into the bucket. */
    long upper(int bucket) {
        int doubling = bucket >>> bits;
        if (doubling == 0) {
            return bucket;
        }
        int shift = doubling - 1;
        long leading = (1L << bits) + (bucket & ((1 << bits) - 1));
        return ((leading + 1) << shift) - 1;
    }
}
