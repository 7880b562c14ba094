package dev.reservoir.bench.report;

import java.util.concurrent.atomic.LongAccumulator;
import org.HdrHistogram.ConcurrentHistogram;

/**
 * Counts durations from any number of threads, with three significant digits. Keeps the longest duration exactly. Never
 * locks, except to grow.
 */
public final class LatencyHistogram {

    private final ConcurrentHistogram histogram = new ConcurrentHistogram(3);
    private final LongAccumulator longestNanos = new LongAccumulator(Math::max, 0);

    public void record(long nanos) {
        long counted = Math.max(0, nanos);
        histogram.recordValue(counted);
        longestNanos.accumulate(counted);
    }

    public void add(LatencyHistogram other) {
        histogram.add(other.histogram);
        longestNanos.accumulate(other.longestNanos());
    }

    public long count() {
        return histogram.getTotalCount();
    }

    public long longestNanos() {
        return longestNanos.get();
    }

    /** The duration that this share of all durations does not exceed, or 0 if there are none. */
    public long quantileNanos(double share) {
        if (!(share > 0 && share <= 1)) {
            throw new IllegalArgumentException("share = " + share + ", allowed: more than 0, up to 1");
        }
        return Math.min(histogram.getValueAtPercentile(100 * share), longestNanos());
    }
}
