package dev.reservoir.sim.stats;

import dev.reservoir.sim.result.Outcome.Waits;
import org.HdrHistogram.Histogram;

/** Records how long checkouts waited. Only counts the many that did not wait. */
public final class WaitTimes {
    private final Histogram waits = new Histogram(3);
    private long atOnce;
    private long maxNanos;

    /** Records a checkout that did not wait. */
    public void none() {
        atOnce++;
    }

    /** Records a checkout that waited. */
    public void add(long nanos) {
        waits.recordValue(nanos);
        maxNanos = Math.max(maxNanos, nanos);
    }

    /**
     * The wait that this percentage of all checkouts did not exceed, with three digits. It is rounded down, so that a
     * wait that ended at its timeout does not look longer than the timeout.
     */
    long percentile(double percent) {
        long waited = waits.getTotalCount();
        // Subtracts a little, so that a rounding error of binary fractions does not raise the rank by one.
        long rank = (long) Math.ceil(percent * (waited + atOnce) / 100 - 1e-6) - atOnce;
        if (waited == 0 || rank <= 0) {
            return 0;
        }
        long most = waits.getValueAtPercentile(100.0 * rank / waited);
        return most >= maxNanos ? maxNanos : waits.lowestEquivalentValue(most);
    }

    /** The waits of all checkouts since the last reset. */
    public Waits summary() {
        return new Waits(waits.getTotalCount() + atOnce, percentile(50), percentile(99), percentile(99.9), maxNanos);
    }

    /** Forgets all checkouts. */
    public void reset() {
        atOnce = 0;
        maxNanos = 0;
        if (waits.getTotalCount() > 0) {
            waits.reset();
        }
    }
}
