package dev.reservoir.cluster.protocol;

import dev.reservoir.core.util.DoublingPause;
import java.util.random.RandomGenerator;

/** The pause after failures in a row. Doubles with each failure, up to a bound, with jitter. Never waits itself. */
public final class JitteredPause {
    private final long baseNanos;
    private final long maxNanos;
    private final RandomGenerator random;
    private int failures;

    public JitteredPause(long baseNanos, long maxNanos, RandomGenerator random) {
        this.baseNanos = baseNanos;
        this.maxNanos = maxNanos;
        this.random = random;
    }

    /** Returns the pause after one more failure: between half and all of the current bound. */
    public long next() {
        return DoublingPause.jittered(failures++, baseNanos, maxNanos, random);
    }

    public int failures() {
        return failures;
    }

    public void reset() {
        failures = 0;
    }
}
