package dev.reservoir.flightsql;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import dev.reservoir.flightsql.FlightSqlException.Kind;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.arrow.flight.CallHeaders;
import org.apache.arrow.flight.CallStatus;
import org.apache.arrow.flight.CancelFlightInfoRequest;
import org.apache.arrow.flight.CancelStatus;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightEndpoint;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightServer;
import org.apache.arrow.flight.FlightServerMiddleware;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.flight.sql.NoOpFlightSqlProducer;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementQuery;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementSubstraitPlan;
import org.apache.arrow.flight.sql.impl.FlightSql.TicketStatementQuery;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the server on DuckDB does not show: slow cancels, results in several parts, plans, headers and cookies. */
class ScriptedServerTest {
    /** Long enough to connect again and to get the description of the result on a busy machine. */
    private static final QueryOptions SHORT = QueryOptions.defaults().withTimeout(Duration.ofSeconds(4));

    private static final Schema SCHEMA = new Schema(List.of(Field.nullable("x", new ArrowType.Int(64, true))));

    private final RootAllocator allocator = new RootAllocator();
    private final Producer producer = new Producer();
    private final List<String> tenants = Collections.synchronizedList(new ArrayList<>());
    private final List<String> cookies = Collections.synchronizedList(new ArrayList<>());
    private FlightServer server;
    private TestPool test;

    @BeforeEach
    void start() throws Exception {
        server = FlightServer.builder(allocator, Location.forGrpcInsecure("127.0.0.1", 0), producer)
                .middleware(FlightServerMiddleware.Key.of("headers"), (call, headers, context) -> new Headers(headers))
                .build()
                .start();
        test = TestPool.at(
                "grpc://127.0.0.1:" + server.getPort(),
                config -> config.maxSize(1)
                        .cancelTimeout(Duration.ofSeconds(3))
                        .header("x-tenant", "a")
                        .cookies(true));
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
    private final class Producer extends NoOpFlightSqlProducer {
        final Queue<List<CancelStatus>> answers = new ArrayDeque<>();
        final AtomicInteger asked = new AtomicInteger();

        @Override
        public FlightInfo getFlightInfoStatement(
                CommandStatementQuery command, CallContext context, FlightDescriptor descriptor) {
            List<FlightEndpoint> endpoints = command.getQuery().contains("in parts")
                    ? List.of(endpoint("1"), endpoint("2"), endpoint("3"))
                    : List.of(endpoint(command.getQuery()));
            return new FlightInfo(SCHEMA, descriptor, endpoints, -1, -1);
        }

        @Override
        public FlightInfo getFlightInfoSubstraitPlan(
                CommandStatementSubstraitPlan command, CallContext context, FlightDescriptor descriptor) {
            String plan = command.getPlan().getPlan().toStringUtf8();
            assertThat(command.getPlan().getVersion()).isEqualTo("0.1");
            return new FlightInfo(SCHEMA, descriptor, List.of(endpoint(plan)), -1, -1);
        }

        private static FlightEndpoint endpoint(String handle) {
            TicketStatementQuery ticket = TicketStatementQuery.newBuilder()
                    .setStatementHandle(ByteString.copyFrom(handle, UTF_8))
                    .build();
            return new FlightEndpoint(new Ticket(Any.pack(ticket).toByteArray()));
        }

        /** Sends the last character of the handle as a number, twice; sends nothing if it is slow. */
        @Override
        public void getStreamStatement(
                TicketStatementQuery ticket, CallContext context, ServerStreamListener listener) {
            String handle = ticket.getStatementHandle().toStringUtf8();
            if (handle.contains("slow")) {
                return;
            }
            try (VectorSchemaRoot root = VectorSchemaRoot.create(SCHEMA, allocator)) {
                listener.start(root);
                BigIntVector x = (BigIntVector) root.getVector("x");
                x.setSafe(0, Character.digit(handle.charAt(handle.length() - 1), 10));
                x.setSafe(1, x.get(0));
                root.setRowCount(2);
                listener.putNext();
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

    /** Notes the headers of a call and sets a cookie. */
    private final class Headers implements FlightServerMiddleware {
        Headers(CallHeaders incoming) {
            tenants.add(incoming.get("x-tenant"));
            cookies.add(incoming.get("Cookie"));
        }

        @Override
        public void onBeforeSendingHeaders(CallHeaders outgoing) {
            outgoing.insert("Set-Cookie", "session=42");
        }

        @Override
        public void onCallCompleted(CallStatus status) {}

        @Override
        public void onCallErrored(Throwable error) {}
    }

    @Test
    void headersAndTheServersCookiesAreSentWithEveryCall() {
        cookies.clear();
        test.pool.query("SELECT 1").list(row -> row.getLong(0));
        assertThat(cookies).hasSize(2).containsOnly("session=42");
        assertThat(tenants).hasSizeGreaterThan(3).containsOnly("a");
    }

    @Test
    void allPartsOfAResultAreReadOnTheSameConnection() {
        assertThat(test.pool.query("SELECT in parts").list(row -> row.getLong("x")))
                .containsExactly(1L, 1L, 2L, 2L, 3L, 3L);
        QueryOptions single = QueryOptions.defaults().withFetchSize(1);
        List<Long> values = new ArrayList<>();
        try (QueryResult result = test.pool.query("SELECT in parts", single)) {
            while (result.nextBatch()) {
                assertThat(result.batch().getRowCount()).isEqualTo(1);
                values.add(((BigIntVector) result.batch().getVector(0)).get(0));
            }
        }
        assertThat(values).containsExactly(1L, 1L, 2L, 2L, 3L, 3L);
        assertThat(test.metric("pool.conn.created")).isEqualTo(1);
    }

    @Test
    void aSubstraitPlanIsExecuted() {
        assertThat(test.pool
                        .extras()
                        .substrait("plan 7".getBytes(UTF_8), "0.1", QueryOptions.defaults())
                        .list(row -> row.getLong(0)))
                .containsExactly(7L, 7L);
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
