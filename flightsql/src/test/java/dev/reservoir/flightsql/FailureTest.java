package dev.reservoir.flightsql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.reservoir.core.NoConnectionException;
import dev.reservoir.flightsql.FlightSqlException.Kind;
import dev.reservoir.flightsql.server.FlightSqlServer;
import dev.reservoir.flightsql.server.SessionRules;
import dev.reservoir.flightsql.server.junit.FlightSqlServerExtension;
import dev.reservoir.testkit.FaultyProxy;
import io.grpc.Context;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Lost connections, retries, and servers that refuse sessions. */
class FailureTest {
    @RegisterExtension
    static final FlightSqlServerExtension flight = new FlightSqlServerExtension();

    private final FlightSqlServer server = flight.server();
    private final FaultyProxy relay = FaultyProxy.to(server.port());
    private final TestPool test = TestPool.through(relay, config -> config);
    private final FlightSqlPool pool = test.pool;

    @BeforeEach
    void begin() {
        server.setRules(SessionRules.cooperative());
        server.execute("CREATE OR REPLACE TABLE r (x BIGINT)");
        server.log().clear();
    }

    @AfterEach
    void close() {
        test.close();
        relay.close();
    }

    /** Cuts all connections when the server begins to execute the next statement with this text. */
    private void cutAt(String part) {
        var unused = server.log().next(part).thenRun(relay::endOpen);
    }

    private void assertLost(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        FlightSqlException.class, e -> assertThat(e.kind()).isEqualTo(Kind.CONNECTION_LOST))
                .hasMessageStartingWith("test: the connection was lost during the call");
    }

    @Test
    void aReadIsSentOnceMore() {
        cutAt("wait 200");
        assertThat(test.number("SELECT 5 /* wait 200 ms */")).isEqualTo(5);
        assertThat(server.log().count("SELECT 5")).isEqualTo(2);
        assertThat(test.metric("pool.call.retries")).isEqualTo(1);
    }

    @Test
    void aReadWithParametersIsSentOnceMore() {
        cutAt("wait 200");
        long answer = TestPool.number(pool.query("SELECT ?::BIGINT /* wait 200 ms */", List.of(6L)));
        assertThat(answer).isEqualTo(6);
        assertThat(test.metric("pool.call.retries")).isEqualTo(1);
    }

    @Test
    void aReadIsNotSentAThirdTime() {
        cutAt("wait 200");
        var second =
                server.log().next("wait 200").thenCompose(first -> server.log().next("wait 200"));
        var unused = second.thenRun(relay::endOpen);
        assertLost(() -> test.number("SELECT 5 /* wait 200 ms */"));
        assertThat(server.log().count("SELECT 5")).isEqualTo(2);
    }

    @Test
    void aReadIsNotSentAgainIfTheCallerDoesNotWantThat() {
        cutAt("wait 200");
        assertLost(() ->
                pool.query("SELECT 5 /* wait 200 ms */", QueryOptions.defaults().withRetry(false)));
        assertThat(server.log().count("SELECT 5")).isEqualTo(1);
    }

    /** Runs the action at the health check before the retry, which is the next one after that of the open. */
    private void atHealthCheckOfRetry(FaultyProxy between, Runnable action) {
        var unused = server.log()
                .next("wait 200")
                .thenCompose(lost -> {
                    var open = server.log().next("health");
                    between.endOpen();
                    return open;
                })
                .thenCompose(opened -> server.log().next("health"))
                .thenRun(action);
    }

    private static UnaryOperator<PoolConfig.Builder> oneConnection(Duration cancelTimeout) {
        return config ->
                config.maxSize(1).healthcheckSql("SELECT 1 /* health */").cancelTimeout(cancelTimeout);
    }

    @Test
    void aRetryEndsWithTheDeadlineOfTheCall() {
        CountDownLatch end = new CountDownLatch(1);
        try (TestPool one = TestPool.through(relay, oneConnection(Duration.ofSeconds(60)))) {
            one.number("SELECT 1");
            atHealthCheckOfRetry(
                    relay, () -> await().atMost(Duration.ofSeconds(50)).until(() -> end.getCount() == 0));
            long began = System.nanoTime();
            assertLost(() -> one.pool.query(
                    "SELECT 5 /* wait 200 ms */", QueryOptions.defaults().withTimeout(Duration.ofSeconds(3))));
            assertThat(System.nanoTime() - began).isLessThan(TimeUnit.SECONDS.toNanos(30));
            end.countDown();
            assertThat(one.number("SELECT 2")).isEqualTo(2);
        }
    }

    @Test
    void anInterruptDuringARetryCostsNoConnection() {
        try (TestPool one = TestPool.through(relay, oneConnection(Duration.ofSeconds(20)))) {
            one.number("SELECT 1");
            Thread caller = Thread.currentThread();
            atHealthCheckOfRetry(relay, () -> {
                Context call = Context.current();
                caller.interrupt();
                await().until(call::isCancelled);
            });
            assertLost(() -> one.pool.query("SELECT 5 /* wait 200 ms */"));
            assertThat(Thread.interrupted()).isTrue();
            assertThat(one.number("SELECT 2")).isEqualTo(2);
            assertThat(one.metric("pool.conn.created")).isEqualTo(2);
        }
    }

    @Test
    void anUpdateThatSucceededIsNotReportedAsFailedIfItsStatementCannotBeClosed() {
        cutAt("action ClosePreparedStatement");
        assertThat(pool.update("INSERT INTO r VALUES (?)", List.of(1L)).rows()).isEqualTo(1);
        assertThat(test.number("SELECT count(*) FROM r")).isEqualTo(1);
        assertThat(test.metric("pool.conn.created")).isEqualTo(2);
    }

    @Test
    void whatWritesIsNeverSentAgainHoweverItIsSent() {
        String insert = "INSERT INTO r VALUES (1) RETURNING x /* wait 200 ms */";
        List<ThrowingCallable> ways = List.of(
                () -> pool.query(insert),
                () -> pool.query(insert, QueryOptions.defaults().withRetry(true)),
                () -> pool.execute(insert),
                () -> pool.update(insert),
                () -> pool.update("INSERT INTO r VALUES (?) /* wait 200 ms */", List.of(1L)));
        for (ThrowingCallable way : ways) {
            server.log().clear();
            cutAt("INSERT INTO r");
            assertLost(way);
            assertThat(server.log().count("INSERT INTO r")).isEqualTo(1);
        }
        assertThat(test.metric("pool.call.retries")).isZero();
    }

    @Test
    void aRestartOfTheServerIsNotSeenByReads() {
        for (int i = 0; i < 3; i++) {
            assertThat(test.number("SELECT 1")).isEqualTo(1);
            server.restart();
        }
        assertThat(test.number("SELECT 2")).isEqualTo(2);
    }

    @Test
    void idleConnectionsOfADeadServerLeaveThePool() throws Exception {
        assertThat(pool.awaitReady(0, Duration.ofSeconds(1))).isTrue();
        test.number("SELECT 1");
        relay.endOpen();
        test.awaitMetric("pool.conn.idle", 0);
        test.awaitMetric("pool.conn.dropped", test.metric("pool.conn.created"));
    }

    @Test
    void aSilentServerCostsOneTimeout() {
        test.number("SELECT 1");
        test.awaitMetric("pool.conn.idle", 1);
        relay.all(FaultyProxy.Mode.SWALLOW);
        long began = System.nanoTime();
        assertThatThrownBy(() -> pool.query("SELECT 1", QueryOptions.defaults().withTimeout(Duration.ofSeconds(1))))
                .isInstanceOfSatisfying(
                        FlightSqlException.class, e -> assertThat(e.kind()).isEqualTo(Kind.TIMEOUT));
        assertThat(System.nanoTime() - began).isLessThan(TimeUnit.SECONDS.toNanos(10));
        relay.all(FaultyProxy.Mode.PASS);
        assertThat(test.number("SELECT 2")).isEqualTo(2);
    }

    @Test
    void aFullServerIsNamedAndNotStormed() {
        server.setRules(SessionRules.swanLake().withSessionsMax(server.sessions() + 2));
        long refusedBefore = server.sessionsRefused();
        try (TestPool limited =
                TestPool.of(server, config -> config.maxSize(4).acquireTimeout(Duration.ofSeconds(3)))) {
            List<PooledConnection> held = new ArrayList<>();
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 4; i++) {
                            held.add(limited.pool.acquire());
                        }
                    })
                    .isInstanceOf(NoConnectionException.class)
                    .hasMessageContaining("the database's limit on open connections")
                    .hasMessageContaining("session limit reached");
            assertThat(held).hasSize(2);
            assertThat(limited.metric("pool.conn.dropped"))
                    .as("healthy connections stay")
                    .isZero();
            assertThat(server.sessionsRefused() - refusedBefore).isBetween(1L, 20L);
            held.forEach(PooledConnection::close);
            assertThat(limited.number("SELECT 1")).isEqualTo(1);
        }
    }

    @Test
    void droppedConnectionsAreNotReplacedWithoutBound() {
        try (TestPool slow =
                TestPool.of(server, config -> config.connectsPerMinute(1).acquireTimeout(Duration.ofMillis(500)))) {
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 10; i++) {
                            slow.pool.acquire().discard();
                        }
                    })
                    .isInstanceOf(NoConnectionException.class)
                    .hasMessageContaining("rate");
            assertThat(slow.metric("pool.conn.created")).as("twice maxSize").isLessThanOrEqualTo(4);
        }
    }

    @Test
    void aServerThatIsAwayIsNamed() {
        server.stop();
        try (TestPool away = TestPool.of(server, config -> config.acquireTimeout(Duration.ofMillis(300)))) {
            assertThatThrownBy(() -> away.pool.query("SELECT 1"))
                    .isInstanceOf(NoConnectionException.class)
                    .hasMessageContaining("127.0.0.1:" + server.port())
                    .hasMessageContaining("Connection refused");
        } finally {
            server.startAgain();
        }
    }

    @Test
    void anUnknownHostFailsAtOnce() {
        try (TestPool nowhere = TestPool.at("grpc://no-such-host.invalid:1", config -> config)) {
            assertThatThrownBy(() -> nowhere.pool.query("SELECT 1"))
                    .isInstanceOfSatisfying(
                            NoConnectionException.class,
                            e -> assertThat(e.why()).isEqualTo(NoConnectionException.Why.MISCONFIGURED));
        }
    }
}
