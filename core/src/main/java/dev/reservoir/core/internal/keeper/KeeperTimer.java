package dev.reservoir.core.internal.keeper;

import dev.reservoir.core.internal.calls.EventLoop;
import dev.reservoir.core.spi.Time;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Wakes the keeper when nothing else does. At most one timer is set. Guarded by the keeper's lock. */
final class KeeperTimer {
    /** An error that comes so often in a row is not one of a moment. */
    private static final int TRIES_MAX = 3;

    private final Time time;
    private final EventLoop control;
    private final LongConsumer whenLate;
    private Time.@Nullable Timer timer;
    private long dueNanos = Long.MAX_VALUE;

    /**
     * Sets no timer yet.
     *
     * @param whenLate told the time if the timer goes off so late that the process must have stood still; not under the lock
     */
    KeeperTimer(Time time, EventLoop control, LongConsumer whenLate) {
        this.time = time;
        this.control = control;
        this.whenLate = whenLate;
    }

    /** Goes off at the given time, unless it is set to go off before. */
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
     * Without an alarm the keeper sleeps until something happens, so an error is not the end of it. Null if errors come one after
     * the other; the next batch sets the alarm again.
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
            control.post(() -> {
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
