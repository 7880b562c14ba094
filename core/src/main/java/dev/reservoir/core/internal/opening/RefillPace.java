package dev.reservoir.core.internal.opening;

import dev.reservoir.core.Targets;

/**
 * How fast to open what nobody needs yet: what was lost, and successors. Handshakes side by side take the processors from the requests, on both ends, and
 * a burst of permits is better kept for those in need. So connects are spread: by the rate that is to be had in the long run, or
 * faster if that would take too long; where there is no rate, only few are under way at a time. Either is at least as fast as
 * the succession is planned. The first fill has no pace. Guarded by the keeper's lock.
 */
public final class RefillPace {
    /** All that can be missing is there after so long, if there are permits. */
    private static final double PATIENCE_NANOS = 10e9;

    /** Shorter stretches are not waited for one by one, nor made good if a timer was late. */
    private static final long GRAIN_NANOS = 1_000_000L;

    private static final int ABREAST_LEAST = 4;
    private static final int ABREAST_SHARE = 20;

    private boolean applies;
    private long nextNanos = Long.MIN_VALUE;

    /** There is enough for once: from here on there is a pace. */
    public void begin() {
        if (!applies) {
            applies = true;
            nextNanos = Long.MIN_VALUE;
        }
    }

    /** More is wanted than before: as fast as can be again. */
    public void end() {
        applies = false;
    }

    /** No connect that can wait begins before this. */
    public long fromNanos() {
        return applies ? nextNanos : Long.MIN_VALUE;
    }

    /** How many that can wait may begin together, beside those that are under way. */
    public int atOnce(double ratePerSecond, Targets targets, int opening) {
        if (!applies) {
            return Integer.MAX_VALUE;
        }
        if (Double.isInfinite(ratePerSecond)) {
            return Math.max(0, Math.max(ABREAST_LEAST, targets.maxOpen() / ABREAST_SHARE) - opening);
        }
        return (int) Math.max(1, GRAIN_NANOS / Math.max(1, intervalNanos(ratePerSecond, targets)));
    }

    /** So many that could wait have begun. */
    public void begun(int connects, double ratePerSecond, Targets targets, long nowNanos) {
        if (applies && connects > 0 && !Double.isInfinite(ratePerSecond)) {
            long due = Math.max(nextNanos, nowNanos - GRAIN_NANOS);
            nextNanos = due + connects * intervalNanos(ratePerSecond, targets);
        }
    }

    private static long intervalNanos(double ratePerSecond, Targets targets) {
        return (long) Math.min(1e9 / ratePerSecond, PATIENCE_NANOS / targets.maxOpen());
    }
}
