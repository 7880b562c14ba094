package dev.reservoir.flightsql.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.reservoir.flightsql.server.junit.FlightSqlServerExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.flight.CallOptions;
import org.apache.arrow.flight.CancelFlightInfoRequest;
import org.apache.arrow.flight.CancelStatus;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The server with Arrow's own client. */
@SuppressWarnings("try") // Arrow's streams have a close() that may throw anything
class FlightSqlServerTest {
    @RegisterExtension
    static final FlightSqlServerExtension flight = new FlightSqlServerExtension();

    private final FlightSqlServer server = flight.server();
    private final BufferAllocator allocator = new RootAllocator();
    private final List<FlightSqlClient> clients = new ArrayList<>();

    @BeforeEach
    void begin() {
        server.setRules(SessionRules.cooperative());
    }

    @AfterEach
    void close() throws Exception {
        for (FlightSqlClient client : clients) {
            client.close();
        }
        allocator.close();
        // gRPC frees what it could not send any more on its own threads.
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(server.allocatedBytes()).isZero());
    }

    private FlightSqlClient client() {
        FlightSqlClient client = new FlightSqlClient(
                FlightClient.builder(allocator, Location.forGrpcInsecure("127.0.0.1", server.port()))
                        .build());
        clients.add(client);
        return client;
    }

    private static long number(FlightSqlClient client, String sql) throws Exception {
        return first(client, client.execute(sql));
    }

    private static long first(FlightSqlClient client, FlightInfo info) throws Exception {
        try (FlightStream stream = client.getStream(info.getEndpoints().get(0).getTicket())) {
            assertThat(stream.next()).isTrue();
            return ((Number) stream.getRoot().getVector(0).getObject(0)).longValue();
        }
    }

    @Test
    void aQueryStreamsItsResult() throws Exception {
        FlightSqlClient client = client();
        FlightInfo info = client.execute("SELECT i FROM range(10000) t(i)");
        long sum = 0;
        try (FlightStream stream = client.getStream(info.getEndpoints().get(0).getTicket())) {
            while (stream.next()) {
                BigIntVector vector = (BigIntVector) stream.getRoot().getVector(0);
                for (int i = 0; i < vector.getValueCount(); i++) {
                    sum += vector.get(i);
                }
            }
        }
        assertThat(sum).isEqualTo(9_999L * 10_000 / 2);
    }

    /**
     * The Flight SQL JDBC driver believes a schema that it gets before the stream, and finds no columns in an empty
     * one.
     */
    @Test
    void theSchemaIsLeftOpenUntilTheStream() {
        assertThat(client().execute("SELECT 1").getSchemaOptional()).isEmpty();
    }

    @Test
    void aTemporaryTableBelongsToOneConnection() throws Exception {
        FlightSqlClient one = client();
        FlightSqlClient other = client();
        one.executeUpdate("CREATE TEMP TABLE mine AS SELECT 7 AS x");
        assertThat(number(one, "SELECT x FROM mine")).isEqualTo(7);
        assertThatThrownBy(() -> number(other, "SELECT x FROM mine")).hasMessageContaining("mine");
    }

    @Test
    void aPreparedStatementTakesParameters() throws Exception {
        FlightSqlClient client = client();
        client.executeUpdate("CREATE OR REPLACE TABLE p (x BIGINT)");
        try (BigIntVector x = new BigIntVector("x", allocator)) {
            for (int i = 0; i < 3; i++) {
                x.setSafe(i, i + 1);
            }
            x.setValueCount(3);
            try (FlightSqlClient.PreparedStatement insert = client.prepare("INSERT INTO p VALUES (?)")) {
                insert.setParameters(VectorSchemaRoot.of(x));
                assertThat(insert.executeUpdate()).isEqualTo(3);
            }
        }
        try (BigIntVector x = new BigIntVector("x", allocator)) {
            x.setSafe(0, 2);
            x.setValueCount(1);
            try (FlightSqlClient.PreparedStatement select =
                    client.prepare("SELECT sum(x)::BIGINT FROM p WHERE x >= ?")) {
                select.setParameters(VectorSchemaRoot.of(x));
                assertThat(first(client, select.execute())).isEqualTo(5);
            }
        }
    }

    @Test
    void aPreparedStatementAnnouncesItsColumns() throws Exception {
        FlightSqlClient client = client();
        client.executeUpdate("CREATE OR REPLACE TABLE announced (x BIGINT)");
        String sql = "SELECT 1::BIGINT AS a, 'x' AS b, 1.50::DECIMAL(9, 2) AS c, [1] AS d";
        try (FlightSqlClient.PreparedStatement select = client.prepare(sql)) {
            assertThat(select.getResultSetSchema().getFields())
                    .map(field -> field.getName() + " " + field.getType())
                    .containsExactly("a Int(64, true)", "b Utf8", "c Decimal(9, 2, 128)", "d Utf8");
        }
        try (FlightSqlClient.PreparedStatement insert = client.prepare("INSERT INTO announced VALUES (1)")) {
            assertThat(insert.getResultSetSchema().getFields()).isEmpty();
        }
    }

    @Test
    void aTransactionIsRolledBack() throws Exception {
        FlightSqlClient client = client();
        client.executeUpdate("CREATE OR REPLACE TABLE tx (x BIGINT)");
        FlightSqlClient.Transaction transaction = client.beginTransaction();
        assertThat(client.executeUpdate("INSERT INTO tx VALUES (1)", transaction))
                .isEqualTo(1);
        client.rollback(transaction);
        assertThat(number(client, "SELECT count(*) FROM tx")).isZero();
        assertThatThrownBy(() -> client.commit(transaction))
                .isInstanceOfSatisfying(
                        FlightRuntimeException.class,
                        e -> assertThat(e.status().code()).isEqualTo(FlightStatusCode.INVALID_ARGUMENT));
    }

    @Test
    void oneSessionTooManyIsRefused() throws Exception {
        server.setRules(SessionRules.swanLake().withSessionsMax(server.sessions() + 1));
        assertThat(number(client(), "SELECT 1")).isEqualTo(1);
        FlightSqlClient refused = client();
        assertThatThrownBy(() -> refused.execute("SELECT 1"))
                .isInstanceOfSatisfying(
                        FlightRuntimeException.class,
                        e -> assertThat(e.status().code()).isEqualTo(FlightStatusCode.RESOURCE_EXHAUSTED));
        server.setRules(SessionRules.swanLake().withSessionsMax(1).withIdleExpiry(Duration.ofNanos(1)));
        assertThat(number(refused, "SELECT 1")).isEqualTo(1);
    }

    @Test
    void statementsOfOneSessionRunOneAfterTheOther() throws Exception {
        server.setRules(SessionRules.swanLake());
        FlightSqlClient client = client();
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            var begun = server.log().next("first");
            long sentNanos = System.nanoTime();
            CompletableFuture<Long> first = CompletableFuture.supplyAsync(
                    () -> {
                        try {
                            return number(client, "SELECT 1 /* wait 200 ms */ /* first */");
                        } catch (Exception e) {
                            throw new IllegalStateException(e);
                        }
                    },
                    threads);
            begun.get(10, TimeUnit.SECONDS);
            number(client, "SELECT 2");
            assertThat(System.nanoTime() - sentNanos).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(200));
            assertThat(first.get(10, TimeUnit.SECONDS)).isEqualTo(1);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void aStatementIsCancelledByItsFlightInfo() throws Exception {
        FlightSqlClient client = client();
        FlightInfo info = client.execute("SELECT 1 /* wait 60000 ms */");
        var begun = server.log().next("wait 60000");
        try (FlightStream stream = client.getStream(info.getEndpoints().get(0).getTicket())) {
            begun.get(10, TimeUnit.SECONDS);
            assertThat(client.cancelFlightInfo(new CancelFlightInfoRequest(info))
                            .getStatus())
                    .isEqualTo(CancelStatus.CANCELLED);
            assertThatThrownBy(stream::next)
                    .isInstanceOfSatisfying(
                            FlightRuntimeException.class,
                            e -> assertThat(e.status().code()).isEqualTo(FlightStatusCode.CANCELLED));
        }
        assertThat(number(client, "SELECT 5")).isEqualTo(5);
    }

    @Test
    void aServerWithoutCancelLetsTheStatementRunOn() throws Exception {
        server.setRules(SessionRules.swanLake());
        FlightSqlClient client = client();
        FlightInfo info = client.execute("SELECT 1 /* wait 300 ms */");
        FlightStream stream = client.getStream(
                info.getEndpoints().get(0).getTicket(), CallOptions.timeout(20, TimeUnit.MILLISECONDS));
        assertThatThrownBy(stream::next)
                .isInstanceOfSatisfying(
                        FlightRuntimeException.class,
                        e -> assertThat(e.status().code()).isEqualTo(FlightStatusCode.TIMED_OUT));
        stream.close();
        assertThatThrownBy(() -> client.cancelFlightInfo(new CancelFlightInfoRequest(info)))
                .isInstanceOfSatisfying(
                        FlightRuntimeException.class,
                        e -> assertThat(e.status().code()).isEqualTo(FlightStatusCode.INVALID_ARGUMENT));
        assertThat(number(client, "SELECT 5")).isEqualTo(5);
    }

    @Test
    void aRestartEndsSessionsAndKeepsData() throws Exception {
        client().executeUpdate("CREATE OR REPLACE TABLE kept AS SELECT 3 AS x");
        server.restart();
        assertThat(server.sessions()).isZero();
        assertThat(number(client(), "SELECT x FROM kept")).isEqualTo(3);
    }

    @Test
    void aSessionThatRunsAStatementDoesNotExpire() throws Exception {
        server.setRules(SessionRules.swanLake().withIdleExpiry(Duration.ofNanos(1)));
        FlightSqlClient other = client();
        CompletableFuture<Long> answered = server.log().next("busy").thenApply(begun -> {
            try {
                return number(other, "SELECT 1");
            } catch (Exception e) {
                throw new CompletionException(e);
            }
        });
        assertThat(number(client(), "SELECT 7 /* busy */")).isEqualTo(7);
        assertThat(answered).isCompletedWithValue(1L);
    }
}
