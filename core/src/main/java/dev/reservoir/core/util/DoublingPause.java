package dev.reservoir.core.util;

import java.util.random.RandomGenerator;

/** Pauses after failures in a row: twice as long after each, up to a bound. Does not block. */
public final class DoublingPause {
    private static final int DOUBLINGS_MAX = 62;

    private DoublingPause() {}

    /** The pause after a failure that had so many before it. */
    public static long nanos(int before, long baseNanos, long mostNanos) {
        return (long) Math.min((double) mostNanos, baseNanos * Math.pow(2, Math.min(DOUBLINGS_MAX, before)));
    }

    /** The same, from half to the whole of it at random: never at once, and never in step with others. */
    public static long jittered(int before, long baseNanos, long mostNanos, RandomGenerator random) {
        return (long) (nanos(before, baseNanos, mostNanos) * (1 + random.nextDouble()) / 2);
    }
}
