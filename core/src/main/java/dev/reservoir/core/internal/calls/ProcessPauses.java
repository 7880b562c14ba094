package dev.reservoir.core.internal.calls;

import dev.reservoir.core.internal.stats.Nanos;
import dev.reservoir.core.spi.Time;

/**
 * Notices that the process stood still: a timer fired far too late. Answers that arrived during such a pause may not
 * have been read yet, so nobody may be blamed for its silence in that time. Never blocks.
 */
public final class ProcessPauses {
    /** A timer that fires later than this shows that the process stood still. Load alone delays no thread that long. */
    static final long PAUSE_NANOS = 500_000_000L;

    private final EventLoop eventLoop;
    private final Time time;

    /** When the last pause of the process ended. */
    private volatile long awakeSinceNanos = Long.MIN_VALUE;

    public ProcessPauses(EventLoop eventLoop, Time time) {
        this.eventLoop = eventLoop;
        this.time = time;
    }

    /** Does the same as {@link EventLoop#schedule}, and notices if the timer fires late. */
    public Time.Timer schedule(long delayNanos, Runnable event) {
        return time.schedule(delayNanos, new Due(Nanos.sum(time.nanos(), delayNanos), event));
    }

    /** A timer. A class, because lambdas that capture something are slow until they are optimized. */
    private final class Due implements Runnable {
        private final long dueNanos;
        private final Runnable event;

        Due(long dueNanos, Runnable event) {
            this.dueNanos = dueNanos;
            this.event = event;
        }

        @Override
        public void run() {
            try {
                long now = time.nanos();
                if (now - dueNanos >= PAUSE_NANOS) {
                    awakeSinceNanos = Math.max(awakeSinceNanos, now);
                }
            } finally {
                eventLoop.post(event);
            }
        }
    }

    /**
     * The time from which this process could have read an answer: when it asked, or when it resumed after a pause,
     * whichever is later.
     */
    public long heardSinceNanos(long askedNanos) {
        return Math.max(askedNanos, awakeSinceNanos);
    }
}
