package dev.reservoir.flightsql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.reservoir.flightsql.FlightSqlException.Kind;
import dev.reservoir.flightsql.call.ServerCancel.Way;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.arrow.flight.FlightStatusCode;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** DazzleDuck, a server on DuckDB: it cancels, and has neither sessions nor transactions. */
class DazzleDuckTest {
    /** Would run for days. */
    private static final String SLOW =
            "SELECT count(*) FROM range(100000000) a, range(100000000) b WHERE a.range = b.range % 7";

    private static OtherServer server;

    private final TestPool test = TestPool.at(server.endpoint(), config -> config.maxSize(1));
    private final FlightSqlPool pool = test.pool;

    @BeforeAll
    static void start() {
        server = new OtherServer("dazzleduck", "io.dazzleduck.sql.flight.server.DuckDBFlightSqlProducer");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void begin() {
        pool.update("CREATE OR REPLACE TABLE t (x BIGINT, s VARCHAR)");
        assertThat(pool.update("INSERT INTO t VALUES (1, 'a'), (2, 'b')").rows())
                .isEqualTo(2);
    }

    @AfterEach
    void close() {
        test.close();
    }

    @Test
    void queriesAndUpdatesWork() {
        assertThat(pool.query("SELECT s FROM t ORDER BY x").list(row -> row.getString("s")))
                .containsExactly("a", "b");
        assertThat(pool.query("SELECT i FROM range(100000) t(i)").list(row -> row.getLong(0)))
                .hasSize(100_000);
        assertThat(pool.update("INSERT INTO t VALUES (?, ?)", List.of(3L, "c")).rows())
                .isEqualTo(1);
        assertThat(test.number("SELECT count(*) FROM t")).isEqualTo(3);
    }

    @Test
    void aQueryWithParametersIsRefusedClearlyAndCostsNoConnection() {
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> pool.query("SELECT x FROM t WHERE x > ?", List.of(1L)))
                    .isInstanceOfSatisfying(
                            FlightSqlException.class,
                            e -> assertThat(e.status()).isEqualTo(FlightStatusCode.UNIMPLEMENTED))
                    .hasMessage("test: acceptPutPreparedStatementQuery");
        }
        test.awaitMetric("pool.conn.in_use", 0);
        assertThat(test.metric("pool.conn.dropped")).isZero();
    }

    @Test
    void catalogMetadataIsListed() {
        assertThat(pool.extras().catalogs().list(row -> row.getString(0))).contains("memory");
        assertThat(pool.extras().schemas("memory", null).list(row -> row.getString("db_schema_name")))
                .contains("main");
        assertThat(pool.extras().tables(null, null, "t", List.of(), false).list(row -> row.getString("table_name")))
                .containsExactly("t");
        assertThat(pool.extras().tableTypes().list(row -> row.getString(0))).contains("VIEW");
        for (ThrowingCallable other : List.<ThrowingCallable>of(
                () -> pool.extras().typeInfo(),
                () -> pool.extras().primaryKeys(null, null, "t"),
                () -> pool.extras().substrait(new byte[] {1}, "0.1", QueryOptions.defaults()))) {
            assertThatThrownBy(other).hasMessage("test: the server does not support this request (UNIMPLEMENTED)");
        }
        assertThat(test.metric("pool.conn.dropped")).isZero();
    }

    @Test
    void errorsCostNoConnection() {
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> pool.query("SELECT * FROM nowhere"))
                    .isInstanceOfSatisfying(
                            FlightSqlException.class, e -> assertThat(e.kind()).isEqualTo(Kind.SQL))
                    .hasMessageContaining("Table with name nowhere does not exist");
            assertThatThrownBy(() -> pool.update("INSERT INTO nowhere VALUES (1)"))
                    .isInstanceOf(FlightSqlException.class);
        }
        assertThat(test.metric("pool.conn.dropped")).isZero();
    }

    @Test
    void transactionsAreRefusedClearlyAndCostNoConnection() {
        try (SessionHandle session = pool.acquireSession()) {
            assertThatThrownBy(session::beginTransaction)
                    .hasMessage("test: the server does not support this request (UNIMPLEMENTED)");
            assertThat(TestPool.number(session.query("SELECT count(*) FROM t"))).isEqualTo(2);
        }
        assertThat(test.metric("pool.conn.dropped")).isZero();
    }

    /** The server shares no session between the statements of a connection. */
    @Test
    void aTemporaryTableIsGoneWithTheNextStatement() {
        try (SessionHandle session = pool.acquireSession()) {
            session.update("CREATE TEMP TABLE mine AS SELECT 7 AS x");
            assertThatThrownBy(() -> session.query("SELECT x FROM mine")).hasMessageContaining("mine");
        }
    }

    @Test
    void aCancelReallyStopsTheStatementAndKeepsTheConnection() {
        QueryOptions options = QueryOptions.defaults().withTimeout(Duration.ofSeconds(4));
        for (int i = 1; i <= 3; i++) {
            long began = System.nanoTime();
            assertThatThrownBy(() -> pool.query(SLOW, options))
                    .isInstanceOfSatisfying(
                            FlightSqlException.class, e -> assertThat(e.kind()).isEqualTo(Kind.TIMEOUT));
            assertThat(test.number("SELECT count(*) FROM t"))
                    .as("answered after the statement was stopped")
                    .isEqualTo(2);
            assertThat(System.nanoTime() - began).isLessThan(TimeUnit.SECONDS.toNanos(30));
            assertThat(test.metric("pool.cancel.confirmed")).isEqualTo(i);
        }
        assertThat(pool.pool().serverCancel().learned()).isEqualTo(Map.of(Way.CANCEL_FLIGHT_INFO, true));
        assertThat(test.metric("pool.conn.created")).isEqualTo(1);
        awaitCalm();
    }

    /** A statement that runs on would keep the server busy. */
    private static void awaitCalm() {
        AtomicReference<Duration> last = new AtomicReference<>(server.cpuTime());
        await().atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(500))
                .until(() -> {
                    Duration now = server.cpuTime();
                    return now.minus(last.getAndSet(now)).toMillis() < 200;
                });
    }
}
