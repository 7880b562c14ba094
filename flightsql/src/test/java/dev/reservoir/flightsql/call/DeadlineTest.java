package dev.reservoir.flightsql.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.MethodDescriptor;
import java.time.Duration;
import org.apache.arrow.flight.CallOptions.GrpcCallOption;
import org.apache.arrow.flight.impl.FlightServiceGrpc;
import org.junit.jupiter.api.Test;

/** The end of a call of several requests. */
class DeadlineTest {
    private static final Channel NO_CHANNEL = new Channel() {
        @Override
        public <Q, A> ClientCall<Q, A> newCall(MethodDescriptor<Q, A> method, CallOptions options) {
            throw new UnsupportedOperationException("this channel makes no calls");
        }

        @Override
        public String authority() {
            return "nowhere";
        }
    };

    private static io.grpc.Deadline ofNextRequest(GrpcCallOption option) {
        return option.wrapStub(FlightServiceGrpc.newStub(NO_CHANNEL))
                .getCallOptions()
                .getDeadline();
    }

    @Test
    void allRequestsOfACallHaveOneEnd() {
        Deadline deadline = Deadline.in(Duration.ofSeconds(5));
        io.grpc.Deadline first = ofNextRequest((GrpcCallOption) deadline.options()[0]);
        assertThat(first).isNotNull();
        assertThat(ofNextRequest((GrpcCallOption) deadline.options()[0])).isSameAs(first);
    }

    @Test
    void aCallWithoutATimeoutHasNoEnd() {
        Deadline never = Deadline.in(null);
        assertThat(never.options()).isEmpty();
        assertThat(never.hasPassed()).isFalse();
        assertThat(never.leftNanos(7)).isEqualTo(7);
    }
}
