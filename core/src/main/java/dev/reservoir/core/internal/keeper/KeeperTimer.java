package dev.reservoir.core.internal.keeper;

import dev.reservoir.core.internal.calls.EventLoop;
import dev.reservoir.core.internal.calls.ProcessPauses;
import dev.reservoir.core.spi.Time;
import org.jspecify.annotations.Nullable;

/** Wakes the keeper when nothing else does. Sets at most one timer. Guarded by the keeper's lock. */
final class KeeperTimer {
    /** Bounds the attempts to set the timer. An error that repeats this often is not transient. */
    private static final int TRIES_MAX = 3;

    private final EventLoop eventLoop;
    private final ProcessPauses pauses;
    private Time.@Nullable Timer timer;
    private long dueNanos = Long.MAX_VALUE;

    /** Sets no timer yet. */
    KeeperTimer(EventLoop eventLoop, ProcessPauses pauses) {
        this.eventLoop = eventLoop;
        this.pauses = pauses;
    }

    /** Fires at the given time, unless it is set to fire earlier. */
    void setNoLaterThan(long atNanos) {
        long now = eventLoop.nanos();
        if (timer != null && dueNanos <= atNanos && dueNanos > now) {
            return;
        }
        cancel();
        timer = schedule(atNanos, Math.max(0, atNanos - now));
        dueNanos = timer == null ? Long.MAX_VALUE : atNanos;
    }

    /**
     * Without a timer the keeper sleeps until something happens, so this retries after an error. Returns null if the
     * errors continue; the next batch sets the timer again.
     */
    private Time.@Nullable Timer schedule(long atNanos, long delayNanos) {
        for (int tries = 0; tries < TRIES_MAX; tries++) {
            try {
                return pauses.schedule(delayNanos, new Wake(atNanos));
            } catch (RuntimeException | Error forAMoment) {
                // Memory may be short for a moment only.
            }
        }
        return null;
    }

    /** The event of the timer. The batch that handles it also looks at everything else. */
    private final class Wake implements Runnable {
        private final long atNanos;

        Wake(long atNanos) {
            this.atNanos = atNanos;
        }

        @Override
        public void run() {
            if (dueNanos == atNanos) {
                timer = null;
                dueNanos = Long.MAX_VALUE;
            }
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
