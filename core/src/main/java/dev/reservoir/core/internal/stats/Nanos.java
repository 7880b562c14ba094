package dev.reservoir.core.internal.stats;

/** Arithmetic on times in nanoseconds. */
public final class Nanos {
    private Nanos() {}

    /** The sum of two times that are not negative. A sum beyond {@link Long#MAX_VALUE} becomes that value. */
    public static long sum(long a, long b) {
        return a > Long.MAX_VALUE - b ? Long.MAX_VALUE : a + b;
    }
}
