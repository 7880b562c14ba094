package dev.reservoir.flightsql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.reservoir.flightsql.server.FlightSqlServer;
import dev.reservoir.flightsql.server.SessionRules;
import dev.reservoir.flightsql.server.junit.FlightSqlServerExtension;
import io.grpc.Context;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.apache.arrow.memory.ArrowBuf;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Calls that never block their caller. */
class AsyncTest {
    @RegisterExtension
    static final FlightSqlServerExtension flight = new FlightSqlServerExtension();

    private static final int CALLS = 2_000;

    private final FlightSqlServer server = flight.server();
    private final TestPool test = TestPool.of(server);
    private final AsyncFlightSqlPool pool = test.pool.async();

    @AfterEach
    void close() {
        test.close();
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(30, TimeUnit.SECONDS);
    }

    @Test
    void manyCallsNeedFewThreads() throws Exception {
        List<CompletableFuture<List<Long>>> calls = new ArrayList<>();
        AtomicInteger mapping = new AtomicInteger();
        AtomicInteger mappingMax = new AtomicInteger();
        Function<Row, Long> mapper = row -> {
            assertThat(Thread.currentThread().getName()).startsWith("reservoir-test-call-");
            mappingMax.accumulateAndGet(mapping.incrementAndGet(), Math::max);
            long value = row.getLong(0);
            mapping.decrementAndGet();
            return value;
        };
        for (int i = 0; i < CALLS; i++) {
            calls.add(pool.queryList("SELECT " + i + "::BIGINT", List.of(), QueryOptions.defaults(), mapper));
        }
        long threads = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("reservoir-test-call-"))
                .count();
        assertThat(threads).isLessThanOrEqualTo(4);
        for (int i = 0; i < CALLS; i++) {
            assertThat(get(calls.get(i))).containsExactly((long) i);
        }
        assertThat(mappingMax.get()).as("calls at once").isBetween(1, 2);
        assertThat(test.metric("pool.conn.created")).isLessThanOrEqualTo(2);
    }

    @Test
    void connectionsWorkSideBySide() throws Exception {
        var first = server.log().next("first");
        var second = server.log().next("second");
        var one = pool.query("SELECT 1 /* wait 20000 ms */ /* first */");
        var two = pool.query("SELECT 2 /* wait 20000 ms */ /* second */");
        // Neither has ended when both have begun, so they run side by side.
        get(CompletableFuture.allOf(first, second));
        assertThat(one).isNotDone();
        assertThat(two).isNotDone();
        one.cancel(true);
        two.cancel(true);
    }

    @Test
    void aCancelledFutureLosesNoConnection() throws Exception {
        for (int i = 0; i < 10; i++) {
            var begun = server.log().next("wait 20000");
            var call = pool.query("SELECT 1 /* wait 20000 ms */");
            get(begun);
            call.cancel(true);
        }
        List<CompletableFuture<QueryResult>> waiting = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            waiting.add(pool.query("SELECT 1 /* wait 20000 ms */"));
        }
        waiting.forEach(future -> future.cancel(true));
        test.awaitMetric("pool.conn.in_use", 0);
        assertThat(get(pool.queryList("SELECT 1", List.of(), QueryOptions.defaults(), row -> row.getLong(0))))
                .containsExactly(1L);
        assertThat(test.metric("pool.cancel.confirmed"))
                .as("statements were stopped")
                .isGreaterThan(5);
    }

    @Test
    void errorsArriveInTheFuture() {
        assertThatThrownBy(() -> get(pool.query("SELECT * FROM nowhere")))
                .hasCauseInstanceOf(FlightSqlException.class)
                .hasMessageContaining("nowhere");
        assertThatThrownBy(() -> get(pool.queryList("SELECT 1", List.of(), QueryOptions.defaults(), row -> {
                    throw new ArithmeticException("of the application");
                })))
                .hasCauseInstanceOf(ArithmeticException.class);
        assertThat(test.metric("pool.conn.dropped")).isZero();
    }

    @Test
    void aSessionRunsItsCallsInOrder() throws Exception {
        server.execute("CREATE OR REPLACE TABLE a (x BIGINT)");
        AsyncSessionHandle session = get(pool.acquireSession());
        var unused = session.beginTransaction();
        for (int i = 0; i < 10; i++) {
            unused = session.update("INSERT INTO a VALUES (" + i + ")").thenApply(done -> null);
        }
        var sum = session.queryList("SELECT sum(x)::BIGINT FROM a", row -> row.getLong(0));
        var committed = session.commit();
        assertThat(get(sum)).containsExactly(45L);
        get(committed);
        get(session.closeAsync());
        assertThat(test.number("SELECT count(*) FROM a")).isEqualTo(10);
        AsyncSessionHandle second = get(pool.acquireSession());
        get(second.beginTransaction());
        get(second.update("DELETE FROM a"));
        get(second.closeAsync());
        assertThat(test.number("SELECT count(*) FROM a")).isEqualTo(10);
    }

    @Test
    void aCancelledCallOfASessionIsStoppedOnTheServer() throws Exception {
        AsyncSessionHandle session = get(pool.acquireSession());
        get(session.update("CREATE TEMP TABLE mine AS SELECT 7 AS x"));
        for (int i = 0; i < 3; i++) {
            var begun = server.log().next("wait 20000");
            var running = session.query("SELECT 1 /* wait 20000 ms */");
            var queued = session.queryList("SELECT 2 /* never sent */", row -> row.getLong(0));
            get(begun);
            queued.cancel(true);
            running.cancel(true);
            assertThat(get(session.queryList("SELECT x FROM mine", row -> row.getLong(0))))
                    .as("the session goes on")
                    .containsExactly(7L);
        }
        assertThat(test.metric("pool.cancel.confirmed")).isEqualTo(3);
        assertThat(server.log().count("never sent")).isZero();
        get(session.closeAsync());
    }

    @Test
    void aSessionEndsIfTheServerDoesNotStopACancelledCall() throws Exception {
        server.setRules(SessionRules.swanLake());
        try {
            AsyncSessionHandle session = get(pool.acquireSession());
            var begun = server.log().next("wait 3000");
            var running = session.update("SELECT 1 /* wait 3000 ms */");
            get(begun);
            running.cancel(true);
            assertThatThrownBy(() -> get(session.query("SELECT 1")))
                    .hasMessageContaining("the session is gone: a statement may still run on it");
            get(session.closeAsync());
            test.awaitMetric("pool.conn.dropped", 1);
        } finally {
            server.setRules(SessionRules.cooperative());
        }
    }

    @Test
    void aSessionWhoseCommitIsCancelledIsOver() throws Exception {
        AsyncSessionHandle session = get(pool.acquireSession());
        get(session.beginTransaction());
        CompletableFuture<Boolean> stopped = new CompletableFuture<>();
        CompletableFuture<CompletableFuture<Void>> commit = new CompletableFuture<>();
        var unused = server.log().next("COMMIT").thenRun(() -> {
            Context call = Context.current();
            commit.join().cancel(true);
            await().until(call::isCancelled);
            stopped.complete(true);
        });
        commit.complete(session.commit());
        assertThat(get(stopped)).isTrue();
        assertThatThrownBy(() -> get(session.query("SELECT 1"))).hasMessageContaining("the session is gone: ");
        get(session.closeAsync());
        test.awaitMetric("pool.conn.dropped", 1);
    }

    @Test
    void aCancelledCloseStillClosesTheSession() throws Exception {
        AsyncSessionHandle session = get(pool.acquireSession());
        var begun = server.log().next("wait 300");
        var running = session.update("SELECT 1 /* wait 300 ms */");
        get(begun);
        session.closeAsync().cancel(true);
        get(running);
        test.awaitMetric("pool.conn.in_use", 0);
    }

    @Test
    void continuationsMayUseThePool() throws Exception {
        List<CompletableFuture<Long>> calls = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            calls.add(pool.update("SELECT 1").thenApply(done -> test.number("SELECT 3")));
        }
        for (CompletableFuture<Long> call : calls) {
            assertThat(get(call)).isEqualTo(3);
        }
    }

    @Test
    void aPublisherSendsOnlyWhatIsRequested() throws Exception {
        QueryResult result = get(pool.query("SELECT i FROM range(10000) t(i)"));
        Collector rows = new Collector();
        result.<Long>publisher(row -> row.getLong(0)).subscribe(rows);
        rows.subscription.request(3);
        await().until(() -> rows.values.size() == 3);
        test.awaitMetric("pool.conn.in_use", 1);
        assertThat(rows.values).containsExactly(0L, 1L, 2L);
        rows.subscription.request(Long.MAX_VALUE);
        get(rows.ended);
        assertThat(rows.values).hasSize(10_000);
        test.awaitMetric("pool.conn.in_use", 0);
    }

    @Test
    void aCancelledSubscriptionGivesTheConnectionBack() throws Exception {
        QueryResult result = get(pool.query("SELECT i FROM range(1000000) t(i)"));
        Collector rows = new Collector();
        result.<Long>publisher(row -> row.getLong(0)).subscribe(rows);
        rows.subscription.request(1);
        await().until(() -> rows.values.size() == 1);
        rows.subscription.cancel();
        rows.subscription.request(5);
        test.awaitMetric("pool.conn.in_use", 0);
        assertThat(rows.values).hasSize(1);
        assertThat(rows.ended).isNotDone();
    }

    @Test
    void aCancelFromAnotherThreadLeavesTheMapperItsRow() throws Exception {
        QueryResult result = get(pool.query("SELECT i + 7 FROM range(10000) t(i)"));
        Collector rows = new Collector();
        CompletableFuture<Long> read = new CompletableFuture<>();
        result.<Long>publisher(row -> {
                    CompletableFuture.runAsync(rows.subscription::cancel).join();
                    read.completeAsync(() -> result.batch().getRowCount() > 0 ? row.getLong(0) : -1L);
                    return read.join();
                })
                .subscribe(rows);
        rows.subscription.request(5);
        assertThat(get(read)).isEqualTo(7);
        test.awaitMetric("pool.conn.in_use", 0);
        assertThat(rows.ended).isNotDone();
    }

    @Test
    void aPublisherSendsNothingBeforeTheSubscriberHasItsSubscription() throws Exception {
        CompletableFuture<Void> mapped = new CompletableFuture<>();
        CompletableFuture<Boolean> early = new CompletableFuture<>();
        Collector rows = new Collector() {
            @Override
            public void onSubscribe(Flow.Subscription given) {
                super.onSubscribe(given);
                given.request(1);
                early.completeOnTimeout(false, 200, TimeUnit.MILLISECONDS);
                var unused = mapped.thenRun(() -> early.complete(true));
                assertThat(early.join()).isFalse();
            }
        };
        try (QueryResult result = get(pool.query("SELECT i FROM range(10) t(i)"))) {
            result.<Long>publisher(row -> {
                        mapped.complete(null);
                        return row.getLong(0);
                    })
                    .subscribe(rows);
            await().until(() -> rows.values.size() == 1);
        }
    }

    @Test
    void aPublisherReportsErrorsAndMisuse() throws Exception {
        Collector failing = new Collector();
        get(pool.query("SELECT i FROM range(10) t(i)"))
                .<Long>publisher(row -> {
                    throw new ArithmeticException("of the application");
                })
                .subscribe(failing);
        failing.subscription.request(1);
        assertThatThrownBy(() -> get(failing.ended)).hasCauseInstanceOf(ArithmeticException.class);
        Collector wrong = new Collector();
        get(pool.query("SELECT i FROM range(10) t(i)"))
                .<Long>publisher(row -> 1L)
                .subscribe(wrong);
        wrong.subscription.request(0);
        assertThatThrownBy(() -> get(wrong.ended)).hasMessageContaining("request is 0; allowed: 1 or more");
        test.awaitMetric("pool.conn.in_use", 0);
    }

    @Test
    void aPublisherRefusesAMapperThatReturnsNull() throws Exception {
        Collector rows = new Collector();
        get(pool.query("SELECT x FROM (VALUES (1), (NULL), (3)) t(x)"))
                .<Long>publisher(row -> row.get(0, Long.class))
                .subscribe(rows);
        rows.subscription.request(3);
        assertThatThrownBy(() -> get(rows.ended))
                .hasCauseInstanceOf(NullPointerException.class)
                .hasMessageContaining("the mapper returned null for a row");
        assertThat(rows.values).containsExactly(1L);
        test.awaitMetric("pool.conn.in_use", 0);
    }

    /** Keeps what it gets. */
    private static class Collector implements Flow.Subscriber<Long> {
        final List<Long> values = Collections.synchronizedList(new ArrayList<>());
        final CompletableFuture<Void> ended = new CompletableFuture<>();
        volatile Flow.Subscription subscription;

        @Override
        public void onSubscribe(Flow.Subscription given) {
            subscription = given;
        }

        @Override
        public void onNext(Long value) {
            values.add(value);
        }

        @Override
        public void onError(Throwable error) {
            ended.completeExceptionally(error);
        }

        @Override
        public void onComplete() {
            ended.complete(null);
        }
    }

    @Test
    void closeReportsArrowMemoryThatIsStillOpen() {
        FlightSqlPool other = new FlightSqlPool(
                server.endpoint(), PoolConfig.builder().name("other").minIdle(0).build());
        // Never closed, because Arrow frees nothing once its allocator is closed.
        ArrowBuf open = other.pool().allocator().buffer(64);
        assertThatThrownBy(() -> get(other.closeAsync(Duration.ZERO)))
                .hasCauseInstanceOf(IllegalStateException.class)
                .hasMessageContaining(open.capacity() + " bytes of its Arrow memory are still open");
    }

    @Test
    void closeEndsWhatIsInUse() {
        TestPool other = TestPool.of(server);
        var begun = server.log().next("wait 20000");
        var call = other.pool.async().query("SELECT 1 /* wait 20000 ms */");
        begun.join();
        other.pool.close(Duration.ZERO);
        assertThatThrownBy(() -> get(call)).hasCauseInstanceOf(FlightSqlException.class);
        other.close();
    }
}
