package dev.reservoir.core.util;

import java.util.random.RandomGenerator;

/** Computes pauses after failures in a row. Each is twice as long as the last, up to a bound. Does not block. */
public final class DoublingPause {
    /** Bounds the exponent. After this many doublings every pause has reached its bound. */
    private static final int DOUBLINGS_MAX = 62;

    private DoublingPause() {}

    /** The pause after a failure that followed {@code before} other failures in a row. */
    public static long nanos(int before, long baseNanos, long maxNanos) {
        return (long) Math.min((double) maxNanos, baseNanos * Math.pow(2, Math.min(DOUBLINGS_MAX, before)));
    }

    /** A random pause between half and all of {@link #nanos}. It is never zero, and processes do not retry in step. */
    public static long jittered(int before, long baseNanos, long maxNanos, RandomGenerator random) {
        return (long) (nanos(before, baseNanos, maxNanos) * (1 + random.nextDouble()) / 2);
    }
}
