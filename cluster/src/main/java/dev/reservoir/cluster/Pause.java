package dev.reservoir.cluster;

import dev.reservoir.core.Doubling;
import java.util.random.RandomGenerator;

/** How long to pause after failures in a row: twice as long after each, up to a bound, and never twice the same. */
final class Pause {
    private final long baseNanos;
    private final long mostNanos;
    private final RandomGenerator random;
    private int failures;

    Pause(long baseNanos, long mostNanos, RandomGenerator random) {
        this.baseNanos = baseNanos;
        this.mostNanos = mostNanos;
        this.random = random;
    }

    /** The pause after one more failure: from half to the whole of what is due. */
    long next() {
        return Doubling.jittered(failures++, baseNanos, mostNanos, random);
    }

    int failures() {
        return failures;
    }

    void reset() {
        failures = 0;
    }
}
