package dev.reservoir.cluster.protocol;

import dev.reservoir.core.spi.Time;
import java.time.Instant;
import java.time.InstantSource;

/**
 * Time that has passed, also while the machine slept. The clock behind {@link Time#nanos} may stand still then, and the wall clock does
 * not: whenever the wall clock has moved further than the other since both were last looked at, that much was slept, and it is added.
 *
 * <p>A wall clock that is set forward looks the same as a sleep. What is held by time is then given up too early, and won back by
 * asking the store: it costs a pause. A wall clock that is set back changes nothing. Timers are those of the time behind this one, and
 * so are late by what was slept. Guarded by the desk, which looks whenever it is entered; {@link #nanos} can be called anywhere.
 */
public final class ElapsedTime implements Time {
    /** Less than this is no sleep: clocks are corrected by as much, and nothing here depends on less. */
    private static final long NAP_NANOS = 500_000_000L;

    private static final long SECOND = 1_000_000_000L;

    private final Time time;
    private final InstantSource wallClock;

    /** The wall clock minus the monotonic time, at the last look. */
    private long wallOffset;

    private volatile long sleptNanos;

    /** When it last woke up; the greatest negative number if it never slept. */
    private long wokeNanos = Long.MIN_VALUE;

    public ElapsedTime(Time time, InstantSource wallClock) {
        this.time = time;
        this.wallClock = wallClock;
        this.wallOffset = wallNanos() - time.nanos();
    }

    private long wallNanos() {
        Instant now = wallClock.instant();
        return Math.addExact(Math.multiplyExact(now.getEpochSecond(), SECOND), now.getNano());
    }

    /** The time behind this one, for what only waits. */
    Time timers() {
        return time;
    }

    /** Notices whether the machine slept since the last look. */
    void look() {
        long before = time.nanos();
        long wall = wallNanos();
        long after = time.nanos();
        if (after - before > NAP_NANOS / 4) {
            // This thread stood still between the two: they do not belong together.
            return;
        }
        long slept = wall - before - wallOffset;
        if (slept > NAP_NANOS) {
            long soFar = sleptNanos + slept;
            sleptNanos = soFar;
            wokeNanos = after + soFar;
        }
        wallOffset = wall - before;
    }

    /** How long it has slept so far, as far as was noticed. */
    long sleptNanos() {
        return sleptNanos;
    }

    /** Whether it has slept since then. */
    boolean hasSleptSince(long nanos) {
        return nanos < wokeNanos;
    }

    @Override
    public long nanos() {
        return time.nanos() + sleptNanos;
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
        return time.schedule(delayNanos, task);
    }

    @Override
    public void execute(Runnable task) {
        time.execute(task);
    }

    @Override
    public long lane() {
        return time.lane();
    }
}
