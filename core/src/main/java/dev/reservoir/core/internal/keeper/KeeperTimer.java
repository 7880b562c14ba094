package dev.reservoir.core.internal.keeper;

import dev.reservoir.core.internal.calls.EventLoop;
import dev.reservoir.core.spi.Time;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Wakes the keeper when nothing else does. Sets at most one timer. Guarded by the keeper's lock. */
final class KeeperTimer {
    /** Bounds the attempts to set the timer. An error that repeats this often is not transient. */
    private static final int TRIES_MAX = 3;

    private final Time time;
    private final EventLoop eventLoop;
    private final LongConsumer whenLate;
    private Time.@Nullable Timer timer;
    private long dueNanos = Long.MAX_VALUE;

    /**
     * Sets no timer yet.
     *
     * @param whenLate receives the time if the timer fires so late that the process must have stood still; called
     *     without the lock
     */
    KeeperTimer(Time time, EventLoop eventLoop, LongConsumer whenLate) {
        this.time = time;
        this.eventLoop = eventLoop;
        this.whenLate = whenLate;
    }

    /** Fires at the given time, unless it is set to fire earlier. */
    void setNoLaterThan(long atNanos) {
        long now = time.nanos();
        if (timer != null && dueNanos <= atNanos && dueNanos > now) {
            return;
        }
        cancel();
        timer = schedule(atNanos, Math.max(0, atNanos - now), Math.max(atNanos, now));
        dueNanos = timer == null ? Long.MAX_VALUE : atNanos;
    }

    /**
     * Without a timer the keeper sleeps until something happens, so this retries after an error. Returns null if the
     * errors continue; the next batch sets the timer again.
     */
    private Time.@Nullable Timer schedule(long atNanos, long delayNanos, long expectedNanos) {
        for (int tries = 0; tries < TRIES_MAX; tries++) {
            try {
                return time.schedule(delayNanos, () -> goOff(atNanos, expectedNanos));
            } catch (RuntimeException | Error forAMoment) {
                // Memory may be short for a moment only.
            }
        }
        return null;
    }

    private void goOff(long atNanos, long expectedNanos) {
        try {
            long now = time.nanos();
            if (now - expectedNanos >= Validations.PAUSE_NANOS) {
                whenLate.accept(now);
            }
        } finally {
            eventLoop.post(() -> {
                if (dueNanos == atNanos) {
                    timer = null;
                    dueNanos = Long.MAX_VALUE;
                }
            });
        }
    }

    void cancel() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
        dueNanos = Long.MAX_VALUE;
    }
}
