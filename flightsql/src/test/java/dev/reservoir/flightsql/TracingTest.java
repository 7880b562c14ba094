package dev.reservoir.flightsql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.reservoir.core.NoConnectionException;
import dev.reservoir.flightsql.otel.OpenTelemetryTracer;
import dev.reservoir.flightsql.server.FlightSqlServer;
import dev.reservoir.flightsql.server.junit.FlightSqlServerExtension;
import dev.reservoir.testkit.FaultyProxy;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Spans around acquire, call and release. */
class TracingTest {
    @RegisterExtension
    static final FlightSqlServerExtension flight = new FlightSqlServerExtension();

    private static final AttributeKey<String> ERROR = AttributeKey.stringKey("error.type");

    private final FlightSqlServer server = flight.server();
    private final InMemorySpanExporter spans = InMemorySpanExporter.create();
    private final OpenTelemetrySdk telemetry = OpenTelemetrySdk.builder()
            .setTracerProvider(SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(spans))
                    .build())
            .build();
    private final TestPool test =
            TestPool.of(server, config -> config.maxSize(1).tracer(OpenTelemetryTracer.of(telemetry, "duckdb")));
    private final FlightSqlPool pool = test.pool;

    @AfterEach
    void close() {
        test.close();
        telemetry.close();
    }

    private static String place(FlightSqlServer server) {
        return " 127.0.0.1:" + server.port();
    }

    /** The names of the spans that have ended, in the order of their ends. */
    private List<String> names() {
        return spans.getFinishedSpanItems().stream()
                .map(span -> span.getName().replace(place(server), "").replace(" test", ""))
                .toList();
    }

    private void awaitNames(String... expected) {
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(names()).containsExactly(expected));
    }

    private SpanData span(String name) {
        return spans.getFinishedSpanItems().stream()
                .filter(span -> span.getName().startsWith(name))
                .findFirst()
                .orElseThrow();
    }

    private <T> T inSpan(Supplier<T> work) {
        Span parent = telemetry.getTracer("application").spanBuilder("parent").startSpan();
        Scope current = parent.makeCurrent();
        try {
            return work.get();
        } finally {
            current.close();
            parent.end();
        }
    }

    private void assertAllBelongToTheParent() {
        SpanData parent = span("parent");
        for (SpanData span : spans.getFinishedSpanItems()) {
            if (!span.getName().equals("parent")) {
                assertThat(span.getParentSpanId()).as(span.getName()).isEqualTo(parent.getSpanId());
            }
        }
    }

    @Test
    void aCallHasThreeSpansBelowThatOfItsCaller() {
        inSpan(() -> pool.update("CREATE OR REPLACE TABLE traced (secret_column VARCHAR)"));
        awaitNames("acquire", "update", "release", "parent");
        assertAllBelongToTheParent();
        SpanData call = span("update");
        assertThat(call.getKind()).isEqualTo(SpanKind.CLIENT);
        assertThat(call.getName()).isEqualTo("update" + place(server));
        assertThat(call.getAttributes().asMap())
                .containsEntry(AttributeKey.stringKey("db.system.name"), "duckdb")
                .containsEntry(AttributeKey.stringKey("db.operation.name"), "update")
                .containsEntry(AttributeKey.stringKey("db.client.connection.pool.name"), "test")
                .containsEntry(AttributeKey.stringKey("server.address"), "127.0.0.1")
                .containsEntry(AttributeKey.longKey("server.port"), (long) server.port());
        assertThat(call.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
        assertThat(span("acquire").getKind()).isEqualTo(SpanKind.INTERNAL);
    }

    @Test
    void theSpanOfAQueryEndsWithItsResult() {
        QueryResult result = pool.query("SELECT i FROM range(10000) t(i)");
        assertThat(names()).containsExactly("acquire");
        result.list(row -> row.getLong(0));
        awaitNames("acquire", "query", "release");
    }

    @Test
    void anAsynchronousCallBelongsToItsCaller() throws Exception {
        var rows = inSpan(
                () -> pool.async().queryList("SELECT 1", List.of(), QueryOptions.defaults(), row -> row.getLong(0)));
        rows.get(20, TimeUnit.SECONDS);
        await().until(() -> names().size() == 4);
        assertThat(names()).containsExactlyInAnyOrder("acquire", "query", "release", "parent");
        assertAllBelongToTheParent();
    }

    @Test
    void aSessionIsAcquiredOnceAndHasASpanForEachStatement() {
        inSpan(() -> {
            try (SessionHandle session = pool.acquireSession()) {
                session.beginTransaction();
                session.update("CREATE OR REPLACE TABLE traced (x INTEGER)");
                TestPool.number(session.query("SELECT 1"));
                session.prepareQuery("SELECT 2").close();
                session.commit();
            }
            return true;
        });
        awaitNames("acquire", "begin", "update", "query", "prepare", "closePrepared", "commit", "release", "parent");
        assertAllBelongToTheParent();
    }

    @Test
    void anAsynchronousSessionBelongsToItsCaller() throws Exception {
        var closed = inSpan(() -> pool.async().acquireSession().thenApply(session -> session));
        AsyncSessionHandle session = closed.get(20, TimeUnit.SECONDS);
        inSpan(() -> session.queryList("SELECT 1", row -> row.getLong(0)).join());
        session.closeAsync().get(20, TimeUnit.SECONDS);
        // The first parent may end before the connection is there, or after that.
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(names())
                        .containsExactlyInAnyOrder("parent", "acquire", "query", "parent", "release"));
        List<SpanData> parents = spans.getFinishedSpanItems().stream()
                .filter(span -> span.getName().equals("parent"))
                .toList();
        assertThat(span("query").getTraceId()).isEqualTo(parents.get(1).getTraceId());
    }

    @Test
    void anErrorIsNamedWithoutTheServersWords() {
        assertThatThrownBy(() -> pool.query("SELECT error(?::VARCHAR)", List.of("hunter2")))
                .hasMessageContaining("hunter2");
        awaitNames("acquire", "query", "release");
        SpanData call = span("query");
        assertThat(call.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(call.getAttributes().get(ERROR)).isEqualTo("SQL");
        assertThat(call.getAttributes().get(AttributeKey.stringKey("db.response.status_code")))
                .isEqualTo("INTERNAL");
        assertThat(spans.getFinishedSpanItems().toString()).doesNotContain("hunter2", "SELECT");
    }

    @Test
    void aReadThatIsSentTwiceHasItsSpansTwice() {
        try (FaultyProxy relay = FaultyProxy.to(server.port());
                TestPool relayed = TestPool.through(
                        relay, config -> config.maxSize(1).tracer(OpenTelemetryTracer.of(telemetry)))) {
            var unused = server.log().next("wait 200").thenRun(relay::endOpen);
            assertThat(relayed.number("SELECT 5 /* wait 200 ms */")).isEqualTo(5);
            await().until(() -> names().size() == 6);
        }
        assertThat(spans.getFinishedSpanItems())
                .filteredOn(span -> span.getName().startsWith("query"))
                .extracting(span -> String.valueOf(span.getAttributes().get(ERROR)))
                .containsExactly("CONNECTION_LOST", "null");
    }

    @Test
    void aWaitInVainIsAnError() {
        try (SessionHandle session = pool.acquireSession()) {
            assertThatThrownBy(
                            () -> pool.query("SELECT 1", QueryOptions.defaults().withTimeout(Duration.ofMillis(100))))
                    .isInstanceOf(NoConnectionException.class);
            awaitNames("acquire", "acquire");
            assertThat(spans.getFinishedSpanItems().get(1).getAttributes().get(ERROR))
                    .isEqualTo(NoConnectionException.class.getName());
            assertThat(session.isInTransaction()).isFalse();
        }
    }

    @Test
    void aTracerThatFailsDoesNotDisturbCalls() {
        CallTracer broken = operation -> {
            if (operation.name().equals("query")) {
                throw new IllegalStateException("of the application");
            }
            return step -> {
                if (step == CallTracer.Step.RELEASE) {
                    throw new AssertionError("of the application");
                }
                return error -> {
                    throw new IllegalStateException("of the application");
                };
            };
        };
        try (TestPool disturbed = TestPool.of(server, config -> config.tracer(broken))) {
            assertThat(disturbed.number("SELECT 1")).isEqualTo(1);
            disturbed.pool.update("CREATE OR REPLACE TABLE traced (x INTEGER)");
            disturbed.awaitMetric("pool.conn.in_use", 0);
        }
    }

    @Test
    void theMetricsOfTheSpecificationExist() {
        test.number("SELECT 1");
        assertThat(pool.metrics().values())
                .containsKeys(
                        "pool.acquire.wait_ms.p50",
                        "pool.acquire.wait_ms.p99",
                        "pool.acquire.wait_ms.max",
                        "pool.acquire.timeout",
                        "pool.conn.created",
                        "pool.conn.dropped",
                        "pool.conn.in_use",
                        "pool.conn.idle");
    }
}
