package dev.reservoir.cluster.protocol;

import dev.reservoir.core.util.DoublingPause;
import java.util.random.RandomGenerator;

/** How long to pause after failures in a row: twice as long after each, up to a bound, and never twice the same. */
public final class JitteredPause {
    private final long baseNanos;
    private final long mostNanos;
    private final RandomGenerator random;
    private int failures;

    public JitteredPause(long baseNanos, long mostNanos, RandomGenerator random) {
        this.baseNanos = baseNanos;
        this.mostNanos = mostNanos;
        this.random = random;
    }

    /** The pause after one more failure: from half to the whole of what is due. */
    public long next() {
        return DoublingPause.jittered(failures++, baseNanos, mostNanos, random);
    }

    public int failures() {
        return failures;
    }

    public void reset() {
        failures = 0;
    }
}
