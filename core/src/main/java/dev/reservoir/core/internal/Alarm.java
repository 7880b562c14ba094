package dev.reservoir.core.internal;

import dev.reservoir.core.spi.Time;
import org.jspecify.annotations.Nullable;

/** Wakes the keeper when nothing else does. At most one timer is set. Guarded by the keeper's lock. */
final class Alarm {
    private final Time time;
    private final Control control;
    private Time.@Nullable Timer timer;
    private long dueNanos = Long.MAX_VALUE;

    Alarm(Time time, Control control) {
        this.time = time;
        this.control = control;
    }

    /** Goes off at the given time, unless it is set to go off before. */
    void setNoLaterThan(long atNanos) {
        long now = time.nanos();
        if (timer != null && dueNanos <= atNanos && dueNanos > now) {
            return;
        }
        cancel();
        dueNanos = atNanos;
        timer = time.schedule(
                atNanos - now,
                () -> control.post(() -> {
                    if (dueNanos == atNanos) {
                        timer = null;
                        dueNanos = Long.MAX_VALUE;
                    }
                }));
    }

    void cancel() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
        dueNanos = Long.MAX_VALUE;
    }
}
