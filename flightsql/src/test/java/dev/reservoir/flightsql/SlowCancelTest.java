package dev.reservoir.flightsql;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import dev.reservoir.flightsql.FlightSqlException.Kind;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.arrow.flight.CallStatus;
import org.apache.arrow.flight.CancelFlightInfoRequest;
import org.apache.arrow.flight.CancelStatus;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightEndpoint;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightServer;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.flight.sql.NoOpFlightSqlProducer;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementQuery;
import org.apache.arrow.flight.sql.impl.FlightSql.TicketStatementQuery;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Servers that need some time to stop a statement. */
class SlowCancelTest {
    private static final QueryOptions SHORT = QueryOptions.defaults().withTimeout(Duration.ofMillis(500));

    private final RootAllocator allocator = new RootAllocator();
    private final Producer producer = new Producer();
    private FlightServer server;
    private TestPool test;

    @BeforeEach
    void start() throws Exception {
        server = FlightServer.builder(allocator, Location.forGrpcInsecure("127.0.0.1", 0), producer)
                .build()
                .start();
        test = TestPool.at(
                "grpc://127.0.0.1:" + server.getPort(),
                config -> config.maxSize(1).cancelTimeout(Duration.ofSeconds(3)));
        test.pool.query("SELECT 1").close();
        test.awaitMetric("pool.conn.idle", 1);
    }

    @AfterEach
    void stop() throws Exception {
        test.close();
        server.shutdown();
        server.close();
        allocator.close();
    }

    /** Answers each cancel with the next of the given lists. */
    @SuppressWarnings("try") // close() of the superclass may throw anything
    private static final class Producer extends NoOpFlightSqlProducer {
        final Queue<List<CancelStatus>> answers = new ArrayDeque<>();
        final AtomicInteger asked = new AtomicInteger();

        @Override
        public FlightInfo getFlightInfoStatement(
                CommandStatementQuery command, CallContext context, FlightDescriptor descriptor) {
            TicketStatementQuery ticket = TicketStatementQuery.newBuilder()
                    .setStatementHandle(ByteString.copyFrom(command.getQuery(), UTF_8))
                    .build();
            FlightEndpoint endpoint =
                    new FlightEndpoint(new Ticket(Any.pack(ticket).toByteArray()));
            return new FlightInfo(new Schema(List.of()), descriptor, List.of(endpoint), -1, -1);
        }

        @Override
        public void getStreamStatement(
                TicketStatementQuery ticket, CallContext context, ServerStreamListener listener) {
            if (ticket.getStatementHandle().toStringUtf8().contains("slow")) {
                return;
            }
            try (VectorSchemaRoot root = VectorSchemaRoot.of()) {
                listener.start(root);
                listener.completed();
            }
        }

        @Override
        public void cancelFlightInfo(
                CancelFlightInfoRequest request, CallContext context, StreamListener<CancelStatus> listener) {
            asked.incrementAndGet();
            List<CancelStatus> next = answers.poll();
            if (next == null) {
                listener.onError(CallStatus.NOT_FOUND.toRuntimeException());
                return;
            }
            next.forEach(listener::onNext);
            listener.onCompleted();
        }
    }

    private void assertTimesOut() {
        assertThatThrownBy(() -> test.pool.query("SELECT slow", SHORT))
                .isInstanceOfSatisfying(
                        FlightSqlException.class, e -> assertThat(e.kind()).isEqualTo(Kind.TIMEOUT));
    }

    @Test
    void aServerThatIsAtItIsAskedAgain() {
        producer.answers.add(List.of(CancelStatus.CANCELLING));
        producer.answers.add(List.of(CancelStatus.CANCELLING));
        producer.answers.add(List.of(CancelStatus.CANCELLED));
        assertTimesOut();
        test.awaitMetric("pool.cancel.confirmed", 1);
        test.awaitMetric("pool.conn.idle", 1);
        assertThat(producer.asked).hasValue(3);
        assertThat(test.metric("pool.conn.created")).isEqualTo(1);
    }

    @Test
    void theLastOfSeveralAnswersCounts() {
        producer.answers.add(List.of(CancelStatus.CANCELLING, CancelStatus.CANCELLED));
        assertTimesOut();
        test.awaitMetric("pool.cancel.confirmed", 1);
        assertThat(producer.asked).hasValue(1);
    }

    @Test
    void whatIsNotConfirmedCostsTheConnection() {
        producer.answers.add(List.of(CancelStatus.CANCELLING));
        assertTimesOut();
        test.awaitMetric("pool.conn.dropped", 1);
        producer.answers.add(List.of(CancelStatus.NOT_CANCELLABLE));
        assertTimesOut();
        test.awaitMetric("pool.conn.dropped", 2);
        assertThat(test.metric("pool.cancel.confirmed")).isZero();
    }
}
