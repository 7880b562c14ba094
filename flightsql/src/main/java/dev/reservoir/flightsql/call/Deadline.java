package dev.reservoir.flightsql.call;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.flight.CallOption;
import org.apache.arrow.flight.CallOptions;
import org.jspecify.annotations.Nullable;

/** The end of a call, on the machine's clock, or no end at all. gRPC keeps it; this class only passes it on. */
public final class Deadline {
    private static final CallOption[] NO_OPTIONS = {};

    private final @Nullable Duration timeout;
    private final long beganNanos = System.nanoTime();

    private Deadline(@Nullable Duration timeout) {
        this.timeout = timeout;
    }

    /** Begins now. Null means that there is no end. */
    public static Deadline in(@Nullable Duration timeout) {
        return new Deadline(timeout);
    }

    /** The time left: at least a nanosecond, and at most the given maximum. */
    public long leftNanos(long maxNanos) {
        if (timeout == null) {
            return maxNanos;
        }
        long left = timeout.toNanos() - (System.nanoTime() - beganNanos);
        return Math.max(1, Math.min(left, maxNanos));
    }

    public boolean hasPassed() {
        return timeout != null && System.nanoTime() - beganNanos >= timeout.toNanos();
    }

    /** The timeout that the call began with, or null if it has none. */
    public @Nullable Duration timeout() {
        return timeout;
    }

    /** The options of the next request of the call. */
    public CallOption[] options() {
        return timeout == null
                ? NO_OPTIONS
                : new CallOption[] {CallOptions.timeout(leftNanos(Long.MAX_VALUE), TimeUnit.NANOSECONDS)};
    }
}
