package dev.reservoir.core.internal;

/**
 * How fast to open what nobody waits for: at the rate that is to be had in the long run, without its burst, and where there is no
 * such rate, about as many at a time as a server takes up without a jolt. Handshakes side by side take the processors from the
 * requests, on both ends. The first fill is as fast as can be. Guarded by the keeper's lock.
 */
final class Pace {
    private static final int ABREAST_UNLIMITED = 4;

    /** Shorter stretches are not waited for one by one. */
    private static final long GRAIN_NANOS = 1_000_000L;

    private boolean applies;
    private long nextNanos = Long.MIN_VALUE;

    /** There is enough for once: from here on there is a pace. */
    void begin() {
        if (!applies) {
            applies = true;
            nextNanos = Long.MIN_VALUE;
        }
    }

    /** More is wanted than ever before: as fast as can be again. */
    void end() {
        applies = false;
    }

    /** The time from one connect to the next. */
    static long intervalNanos(double ratePerSecond, double openNanos) {
        return (long) (Double.isInfinite(ratePerSecond) ? openNanos / ABREAST_UNLIMITED : 1e9 / ratePerSecond);
    }

    long fromNanos() {
        return applies ? nextNanos : Long.MIN_VALUE;
    }

    int atOnce(long intervalNanos) {
        return applies ? (int) Math.max(1, GRAIN_NANOS / Math.max(1, intervalNanos)) : Integer.MAX_VALUE;
    }

    /** So many have begun; those of them that could not wait do not count. */
    void begun(int connects, long intervalNanos, long nowNanos) {
        nextNanos = nowNanos + Math.min(connects, atOnce(intervalNanos)) * intervalNanos;
    }
}
