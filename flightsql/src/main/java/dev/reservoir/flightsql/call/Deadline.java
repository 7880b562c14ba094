package dev.reservoir.flightsql.call;

import io.grpc.stub.AbstractStub;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.flight.CallOption;
import org.apache.arrow.flight.CallOptions;
import org.jspecify.annotations.Nullable;

/**
 * The end of a call, on the machine's clock, or no end at all. gRPC keeps it; this class only passes it on. All
 * requests of the call share one end, so a call of several requests does not wait for its timeout several times.
 */
public final class Deadline {
    private static final CallOption[] NO_OPTIONS = {};

    private final @Nullable Duration timeout;
    private final io.grpc.@Nullable Deadline end;

    private Deadline(@Nullable Duration timeout) {
        this.timeout = timeout;
        end = timeout == null ? null : io.grpc.Deadline.after(timeout.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Begins now. Null means that there is no end. */
    public static Deadline in(@Nullable Duration timeout) {
        return new Deadline(timeout);
    }

    /** The time left: at least a nanosecond, and at most the given maximum. */
    public long leftNanos(long maxNanos) {
        return end == null ? maxNanos : Math.max(1, Math.min(end.timeRemaining(TimeUnit.NANOSECONDS), maxNanos));
    }

    public boolean hasPassed() {
        return end != null && end.isExpired();
    }

    /** The timeout that the call began with, or null if it has none. */
    public @Nullable Duration timeout() {
        return timeout;
    }

    /** The options of all requests of the call. */
    public CallOption[] options() {
        return end == null ? NO_OPTIONS : new CallOption[] {new Until(end)};
    }

    /** Arrow's own option is a timeout, which would begin anew with each request. */
    private record Until(io.grpc.Deadline end) implements CallOptions.GrpcCallOption {
        @Override
        public <T extends AbstractStub<T>> T wrapStub(T stub) {
            return stub.withDeadline(end);
        }
    }
}
