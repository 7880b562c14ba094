package dev.reservoir.sim.world;

import dev.reservoir.sim.result.Outcome.Waits;
import org.HdrHistogram.Histogram;

/** How long checkouts waited. The many that did not wait are only counted. */
final class WaitTimes {
    private final Histogram waits = new Histogram(3);
    private long atOnce;
    private long maxNanos;

    /** A checkout did not wait. */
    void none() {
        atOnce++;
    }

    void add(long nanos) {
        waits.recordValue(nanos);
        maxNanos = Math.max(maxNanos, nanos);
    }

    long max() {
        return maxNanos;
    }

    /**
     * The wait that this share of all checkouts did not exceed, to three digits, rounded down: a wait that ended at its time-out
     * must not look longer than that.
     */
    long percentile(double percent) {
        long waited = waits.getTotalCount();
        // A little less, so that what cannot be written in binary does not make it one more.
        long rank = (long) Math.ceil(percent * (waited + atOnce) / 100 - 1e-6) - atOnce;
        if (waited == 0 || rank <= 0) {
            return 0;
        }
        long most = waits.getValueAtPercentile(100.0 * rank / waited);
        return most >= maxNanos ? maxNanos : waits.lowestEquivalentValue(most);
    }

    Waits summary() {
        return new Waits(waits.getTotalCount() + atOnce, percentile(50), percentile(99), percentile(99.9), maxNanos);
    }

    void reset() {
        atOnce = 0;
        maxNanos = 0;
        if (waits.getTotalCount() > 0) {
            waits.reset();
        }
    }
}
