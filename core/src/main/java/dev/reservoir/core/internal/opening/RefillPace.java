package dev.reservoir.core.internal.opening;

import dev.reservoir.core.Targets;

/**
 * Computes how fast to open connections that nobody needs yet: replacements of lost connections, and successors. Many
 * handshakes at once take processor time from requests, on both ends. A burst of permits is better kept for connects
 * that are needed. So these connects are spread at the long-run rate, or faster if that would take too long. Without a
 * limit on the rate, only a few are under way at a time. Both ways are at least as fast as the successors are planned.
 * The first fill is not paced. Guarded by the keeper's lock.
 */
public final class RefillPace {
    /** Within this time all missing connections are open, if there are permits. */
    private static final double PATIENCE_NANOS = 10e9;

    /**
     * Shorter intervals are not waited for one by one, and a delay is not made up for beyond this if a timer was late.
     */
    private static final long GRAIN_NANOS = 1_000_000L;

    /** Without a limit on the rate, at least this many connects that can wait may be under way. */
    private static final int ABREAST_MIN = 4;

    /**
     * Without a limit on the rate, {@code maxOpen} divided by this number is how many connects that can wait may be
     * under way.
     */
    private static final int ABREAST_SHARE = 20;

    private boolean applies;
    private long nextNanos = Long.MIN_VALUE;

    /** The reservoir has been full once. From now on connects are paced. */
    public void begin() {
        if (!applies) {
            applies = true;
            nextNanos = Long.MIN_VALUE;
        }
    }

    /** More connections are wanted than before, so connects are not paced for now. */
    public void end() {
        applies = false;
    }

    /** No connect that can wait begins before this time. */
    public long fromNanos() {
        return applies ? nextNanos : Long.MIN_VALUE;
    }

    /** How many connects that can wait may begin together, in addition to those under way. */
    public int atOnce(double ratePerSecond, Targets targets, int opening) {
        if (!applies) {
            return Integer.MAX_VALUE;
        }
        if (Double.isInfinite(ratePerSecond)) {
            return Math.max(0, Math.max(ABREAST_MIN, targets.maxOpen() / ABREAST_SHARE) - opening);
        }
        return (int) Math.max(1, GRAIN_NANOS / Math.max(1, intervalNanos(ratePerSecond, targets)));
    }

    /** Records that this many connects that could wait have begun. */
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
