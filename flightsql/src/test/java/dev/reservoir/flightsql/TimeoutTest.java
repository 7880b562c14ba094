package dev.reservoir.flightsql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.flightsql.FlightSqlException.Kind;
import dev.reservoir.flightsql.call.ServerCancel.Way;
import dev.reservoir.flightsql.server.CancelSupport;
import dev.reservoir.flightsql.server.FlightSqlServer;
import dev.reservoir.flightsql.server.SessionRules;
import dev.reservoir.flightsql.server.junit.FlightSqlServerExtension;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Calls end at their deadline, and a connection whose statement may still run is not handed out again. */
class TimeoutTest {
    @RegisterExtension
    static final FlightSqlServerExtension flight = new FlightSqlServerExtension();

    /** Far more than any timeout below, so that a statement that nobody stops is noticed. */
    private static final String SLOW = "SELECT 1 /* wait 9000 ms */";

    private static final QueryOptions SHORT = QueryOptions.defaults().withTimeout(Duration.ofMillis(900));

    private final FlightSqlServer server = flight.server();
    private final TestPool test =
            TestPool.of(server, config -> config.minIdle(1).maxSize(1).cancelTimeout(Duration.ofSeconds(3)));
    private final FlightSqlPool pool = test.pool;

    @AfterEach
    void close() {
        test.close();
        server.setRules(SessionRules.cooperative());
    }

    /** The connection is open before the call, so that the statement and not the connect takes the time. */
    private static void assertTimesOut(TestPool pool, ThrowingCallable call) {
        pool.awaitMetric("pool.conn.idle", 1);
        assertTimesOut(call);
    }

    private static void assertTimesOut(ThrowingCallable call) {
        long began = System.nanoTime();
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        FlightSqlException.class, e -> assertThat(e.kind()).isEqualTo(Kind.TIMEOUT))
                .hasMessage("test: no result within the timeout of 900 ms; the statement may have run");
        assertThat(System.nanoTime() - began)
                .as("the caller does not wait for the statement")
                .isLessThan(TimeUnit.MILLISECONDS.toNanos(8_900));
    }

    @ParameterizedTest
    @CsvSource({"FLIGHT_INFO, CANCEL_FLIGHT_INFO", "QUERY, CANCEL_QUERY", "TICKET, CANCEL_TICKET"})
    void aServerThatCancelsKeepsTheConnection(CancelSupport support, Way way) {
        server.setRules(SessionRules.swanLake().withCancel(support));
        test.number("SELECT 1");
        assertTimesOut(test, () -> pool.query(SLOW, SHORT));
        assertThat(test.number("SELECT 2")).isEqualTo(2);
        assertThat(test.metric("pool.conn.created")).isEqualTo(1);
        assertThat(test.metric("pool.cancel.confirmed")).isEqualTo(1);
        assertThat(pool.pool().serverCancel().learned()).containsEntry(way, true);
        // What the server does not know is not asked a second time.
        server.log().clear();
        assertTimesOut(test, () -> pool.query(SLOW, SHORT));
        assertThat(test.number("SELECT 2")).isEqualTo(2);
        assertThat(server.log().count("action")).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"NONE", "NONE_INVALID_ARGUMENT"})
    void aServerThatCannotCancelLosesTheConnection(CancelSupport support) {
        server.setRules(SessionRules.swanLake().withCancel(support));
        test.number("SELECT 1");
        assertTimesOut(test, () -> pool.query(SLOW, SHORT));
        assertThat(test.number("SELECT 2")).isEqualTo(2);
        assertThat(test.metric("pool.conn.created")).isEqualTo(2);
        assertThat(pool.pool().serverCancel().learned())
                .isEqualTo(Map.of(Way.CANCEL_FLIGHT_INFO, false, Way.CANCEL_QUERY, false, Way.CANCEL_TICKET, false));
        server.log().clear();
        assertTimesOut(test, () -> pool.query(SLOW, SHORT));
        assertThat(test.number("SELECT 2")).isEqualTo(2);
        assertThat(server.log().count("action")).isZero();
    }

    @Test
    void anUpdateThatTimesOutIsNotSentAgain() {
        server.setRules(SessionRules.swanLake());
        server.execute("CREATE OR REPLACE TABLE updated (x BIGINT)");
        server.log().clear();
        assertTimesOut(test, () -> pool.update("INSERT INTO updated VALUES (1) /* wait 2000 ms */", SHORT));
        assertThat(test.number("SELECT 2")).isEqualTo(2);
        assertThat(server.log().count("INSERT")).isEqualTo(1);
        assertThat(test.metric("pool.call.retries")).isZero();
    }

    @Test
    void withSerialSessionsAHealthCheckShowsThatTheStatementHasEnded() {
        server.setRules(SessionRules.swanLake());
        try (TestPool serial = TestPool.of(
                server,
                config -> config.minIdle(1).maxSize(1).serialSessions(true).cancelTimeout(Duration.ofSeconds(10)))) {
            serial.number("SELECT 1");
            assertTimesOut(serial, () -> serial.pool.query("SELECT 1 /* wait 2000 ms */", SHORT));
            assertThat(serial.number("SELECT 2")).isEqualTo(2);
            assertThat(serial.metric("pool.conn.created")).isEqualTo(1);
        }
    }

    @Test
    void theDefaultTimeoutHoldsForCallsWithoutTheirOwn() {
        try (TestPool defaults = TestPool.of(
                server, config -> config.minIdle(1).maxSize(1).defaultQueryTimeout(Duration.ofMillis(900)))) {
            assertTimesOut(defaults, () -> defaults.pool.query(SLOW));
            assertTimesOut(defaults, () -> defaults.pool.update("CREATE TABLE never AS " + SLOW));
            defaults.awaitMetric("pool.conn.idle", 1);
            try (SessionHandle session = defaults.pool.acquireSession()) {
                assertTimesOut(() -> session.query(SLOW));
            }
        }
        assertThat(server.number("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'never'"))
                .isZero();
    }

    @Test
    void theTimeoutHoldsWhileTheResultIsRead() {
        test.awaitMetric("pool.conn.idle", 1);
        QueryResult result = pool.query(
                "SELECT i FROM range(100000000000) t(i)",
                QueryOptions.defaults().withTimeout(Duration.ofSeconds(2)));
        assertThatThrownBy(() -> {
                    while (result.nextBatch()) {
                        assertThat(result.batch().getRowCount()).isPositive();
                    }
                })
                .isInstanceOfSatisfying(
                        FlightSqlException.class, e -> assertThat(e.kind()).isEqualTo(Kind.TIMEOUT));
        assertThat(test.number("SELECT 2")).isEqualTo(2);
    }

    @Test
    void dropsTheConnectionIfTheCallerWantsThat() {
        test.number("SELECT 1");
        assertTimesOut(test, () -> pool.query(SLOW, SHORT.withCancel(CancelBehavior.DROP)));
        assertThat(test.number("SELECT 2")).isEqualTo(2);
        assertThat(test.metric("pool.conn.created")).isEqualTo(2);
        assertThat(test.metric("pool.cancel.attempts")).isZero();
    }

    @Test
    void aResultThatIsClosedEarlyIsStoppedAndTheConnectionKept() {
        for (int i = 0; i < 3; i++) {
            try (QueryResult result = pool.query("SELECT i, repeat('x', 1000) FROM range(300000) t(i)")) {
                assertThat(result.nextRow()).isNotNull();
            }
            assertThat(test.number("SELECT 2")).isEqualTo(2);
        }
        assertThat(test.metric("pool.conn.created")).isEqualTo(1);
    }

    @Test
    void aSmallResultThatIsClosedEarlyCostsNothingOnAServerThatCannotCancel() {
        server.setRules(SessionRules.swanLake());
        for (int i = 0; i < 3; i++) {
            pool.query("SELECT i FROM range(10) t(i)").close();
            assertThat(test.number("SELECT 2")).isEqualTo(2);
        }
        assertThat(test.metric("pool.conn.created")).isEqualTo(1);
        assertThat(test.metric("pool.cancel.attempts")).isZero();
    }

    @Test
    void aSessionWhoseStatementMayStillRunIsOver() {
        server.setRules(SessionRules.swanLake());
        try (SessionHandle session = pool.acquireSession()) {
            assertTimesOut(() -> session.query(SLOW, SHORT));
            assertThatThrownBy(() -> session.query("SELECT 1"))
                    .hasMessageStartingWith("test: the session is gone: a statement may still run on it.");
        }
    }

    @Test
    void aSessionGoesOnIfTheServerHasCancelledTheStatement() {
        try (SessionHandle session = pool.acquireSession()) {
            session.update("CREATE TEMP TABLE mine AS SELECT 7 AS x");
            assertTimesOut(() -> session.query(SLOW, SHORT));
            assertThat(TestPool.number(session.query("SELECT x FROM mine"))).isEqualTo(7);
        }
    }

    @Test
    void anInterruptEndsTheCallAndIsKept() throws Exception {
        var begun = server.log().next("wait 9000");
        Thread caller = Thread.currentThread();
        Thread interrupter = new Thread(() -> {
            begun.join();
            caller.interrupt();
        });
        interrupter.start();
        assertThatThrownBy(() -> pool.query(SLOW))
                .isInstanceOfSatisfying(
                        FlightSqlException.class, e -> assertThat(e.kind()).isEqualTo(Kind.CANCELLED));
        assertThat(Thread.interrupted()).isTrue();
        interrupter.join();
        assertThat(test.number("SELECT 2")).isEqualTo(2);
    }
}
