package dev.reservoir.cluster.protocol;

import dev.reservoir.core.spi.Time;
import java.time.Instant;
import java.time.InstantSource;

/**
 * Elapsed time that includes the time in which the machine slept. The clock behind {@link Time#nanos} may stand still
 * while a machine sleeps, and the wall clock does not. If the wall clock has moved further than the other clock since
 * both were last compared, the machine slept for the difference, and this class adds it.
 *
 * <p>A wall clock that is set forward looks the same as a sleep. The process then gives up too early what it holds for
 * a limited time, and gets it back by asking the store. That costs a pause. A wall clock that is set back changes
 * nothing. Timers are those of the underlying time, so they are late by the time slept. Used only on the budget's
 * serial executor, which compares the clocks each time it starts a task. Any thread may call {@link #nanos}.
 */
public final class ElapsedTime implements Time {
    /** A smaller difference is not a sleep. Clock corrections are of this size, and nothing here depends on less. */
    private static final long NAP_NANOS = 500_000_000L;

    private static final long SECOND = 1_000_000_000L;

    private final Time time;
    private final InstantSource wallClock;

    /** The wall clock minus the monotonic time, when they were last compared. */
    private long wallOffset;

    private volatile long sleptNanos;

    /** When the machine last woke up; {@link Long#MIN_VALUE} if it never slept. */
    private long wokeNanos = Long.MIN_VALUE;

    public ElapsedTime(Time time, InstantSource wallClock) {
        this.time = time;
        this.wallClock = wallClock;
        this.wallOffset = epochNanos(wallClock) - time.nanos();
    }

    static long epochNanos(InstantSource wallClock) {
        Instant now = wallClock.instant();
        return Math.addExact(Math.multiplyExact(now.getEpochSecond(), SECOND), now.getNano());
    }

    /** The underlying time, for plain waits. */
    Time timers() {
        return time;
    }

    /** Compares the clocks to detect whether the machine slept since the last comparison. */
    void compareClocks() {
        long before = time.nanos();
        long wall = epochNanos(wallClock);
        long after = time.nanos();
        if (after - before > NAP_NANOS / 4) {
            // This thread was suspended between the two readings, so they do not belong together.
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

    /** Returns how long the machine has slept so far, as far as it was detected. */
    long sleptNanos() {
        return sleptNanos;
    }

    /** Whether the machine has slept since then. */
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
