package dev.reservoir.cluster;

import dev.reservoir.core.spi.Time;
import dev.reservoir.core.time.VirtualTime;
import java.time.Instant;
import java.time.InstantSource;

/** The clocks and timers of a machine that can sleep: then its time stands still, and its wall clock does not. */
final class SleepingMachine implements Time, InstantSource {
    private static final long LATER_NANOS = 20_000_000L;

    private final VirtualTime real;
    private final long beginSeconds;
    private long sleptNanos;
    private long sinceNanos = -1;

    /** By how much the wall clock is wrong. */
    long wallOffNanos;

    SleepingMachine(VirtualTime trueTime, long beginSeconds) {
        this.real = trueTime;
        this.beginSeconds = beginSeconds;
    }

    void sleep() {
        sinceNanos = real.nanos();
    }

    void wake() {
        sleptNanos += real.nanos() - sinceNanos;
        sinceNanos = -1;
    }

    boolean isAsleep() {
        return sinceNanos >= 0;
    }

    @Override
    public Instant instant() {
        return Instant.ofEpochSecond(beginSeconds, real.nanos() + wallOffNanos);
    }

    @Override
    public long nanos() {
        return (isAsleep() ? sinceNanos : real.nanos()) - sleptNanos;
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
        boolean[] cancelled = {false};
        arm(nanos() + Math.max(0, delayNanos), task, cancelled);
        return () -> cancelled[0] = true;
    }

    private void arm(long dueNanos, Runnable task, boolean[] cancelled) {
        real.schedule(isAsleep() ? LATER_NANOS : dueNanos - nanos(), () -> {
            if (cancelled[0]) {
                return;
            }
            if (isAsleep() || nanos() < dueNanos) {
                arm(dueNanos, task, cancelled);
            } else {
                task.run();
            }
        });
    }

    @Override
    public void execute(Runnable task) {
        var unused = schedule(0, task);
    }
}
