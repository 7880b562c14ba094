package dev.reservoir.flightsql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.reservoir.flightsql.FlightSqlException.Kind;
import dev.reservoir.flightsql.server.FlightSqlServer;
import dev.reservoir.flightsql.server.SessionRules;
import dev.reservoir.flightsql.server.junit.FlightSqlServerExtension;
import dev.reservoir.testkit.FaultyProxy;
import io.grpc.Context;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Sessions keep one connection, and leave nothing of themselves behind. */
class SessionTest {
    @RegisterExtension
    static final FlightSqlServerExtension flight = new FlightSqlServerExtension();

    private final FlightSqlServer server = flight.server();
    private final TestPool test = TestPool.of(server, config -> config.maxSize(1));
    private final FlightSqlPool pool = test.pool;

    @BeforeEach
    void begin() {
        server.setRules(SessionRules.cooperative());
        server.execute("CREATE OR REPLACE TABLE t (x BIGINT)");
    }

    @AfterEach
    void close() {
        test.close();
    }

    private static long count(SessionHandle session) {
        return session.query("SELECT count(*) FROM t").single(row -> row.getLong(0));
    }

    @Test
    void aTransactionIsCommitted() {
        try (SessionHandle session = pool.acquireSession()) {
            session.beginTransaction();
            assertThat(session.isInTransaction()).isTrue();
            assertThat(session.update("INSERT INTO t VALUES (1)").rows()).isEqualTo(1);
            assertThat(server.number("SELECT count(*) FROM t")).isZero();
            session.commit();
            assertThat(session.isInTransaction()).isFalse();
        }
        assertThat(test.number("SELECT count(*) FROM t")).isEqualTo(1);
        assertThat(test.metric("pool.conn.created")).isEqualTo(1);
    }

    @Test
    void aTransactionIsRolledBackOnRelease() {
        try (SessionHandle session = pool.acquireSession()) {
            session.beginTransaction();
            session.update("INSERT INTO t VALUES (?)", List.of(1L), QueryOptions.defaults());
            assertThat(count(session)).isEqualTo(1);
        }
        assertThat(test.number("SELECT count(*) FROM t")).isZero();
        assertThat(test.metric("pool.conn.created"))
                .as("the connection is used again")
                .isEqualTo(1);
    }

    @Test
    void anAbortedTransactionCanBeRolledBack() {
        try (SessionHandle session = pool.acquireSession()) {
            session.beginTransaction();
            session.update("INSERT INTO t VALUES (1)");
            assertThatThrownBy(() -> session.query("SELECT * FROM nothing")).isInstanceOf(FlightSqlException.class);
            session.rollback();
            assertThat(count(session)).isZero();
        }
        assertThat(test.metric("pool.conn.dropped")).isZero();
    }

    /** The server begins the transaction although the caller has gone. */
    @Test
    void aTransactionThatNobodyKnowsOfIsNotPassedOn() {
        try (TestPool serial = TestPool.of(server, config -> config.maxSize(1).serialSessions(true))) {
            Thread caller = Thread.currentThread();
            var unused = server.log().next("BEGIN").thenRun(() -> {
                Context call = Context.current();
                caller.interrupt();
                await().until(call::isCancelled);
            });
            try (SessionHandle session = serial.pool.acquireSession()) {
                assertThatThrownBy(session::beginTransaction)
                        .isInstanceOfSatisfying(
                                FlightSqlException.class,
                                e -> assertThat(e.kind()).isEqualTo(Kind.CANCELLED));
                assertThat(Thread.interrupted()).isTrue();
                assertThatThrownBy(() -> session.update("INSERT INTO t VALUES (1)"))
                        .hasMessageContaining("the session is gone: whether a transaction is open on it is unknown");
            }
            serial.pool.update("INSERT INTO t VALUES (2)");
            assertThat(server.number("SELECT sum(x) FROM t")).isEqualTo(2);
            assertThat(serial.metric("pool.conn.created")).isEqualTo(2);
        }
    }

    @Test
    void aTemporaryTableLivesInItsSessionOnly() {
        try (SessionHandle session = pool.acquireSession()) {
            session.update("CREATE TEMP TABLE mine AS SELECT 7 AS x");
            assertThat(TestPool.number(session.query("SELECT x FROM mine"))).isEqualTo(7);
        }
        assertThatThrownBy(() -> pool.query("SELECT x FROM mine")).hasMessageContaining("mine");
        test.awaitMetric("pool.conn.dropped.evicted", 1);
    }

    @Test
    void preparedStatementsAreExecutedOften() {
        try (SessionHandle session = pool.acquireSession();
                PreparedQuery insert = session.prepareQuery("INSERT INTO t VALUES (?)")) {
            for (long i = 1; i <= 10; i++) {
                assertThat(insert.update(i).rows()).isEqualTo(1);
            }
            PreparedQuery sum = session.prepareQuery("SELECT sum(x)::BIGINT FROM t WHERE x > ?");
            assertThat(TestPool.number(sum.query(8L))).isEqualTo(19);
            assertThat(TestPool.number(sum.query(9L))).isEqualTo(10);
            assertThat(sum.parameterSchema().getFields()).hasSize(1);
        }
        assertThat(test.number("SELECT 1")).isEqualTo(1);
        assertThat(test.metric("pool.conn.created"))
                .as("prepared statements were closed")
                .isEqualTo(1);
    }

    @Test
    void anOpenResultStopsTheNextStatementWithAClearError() {
        try (SessionHandle session = pool.acquireSession()) {
            QueryResult open = session.query("SELECT i FROM range(10000) t(i)");
            assertThatThrownBy(() -> session.query("SELECT 1"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("test: the session has an open result; read it to its end or close it first");
            open.close();
            assertThat(count(session)).isZero();
            session.query("SELECT i FROM range(10) t(i)");
        }
        assertThat(test.number("SELECT 1")).isEqualTo(1);
    }

    @Test
    void misuseIsRefused() {
        SessionHandle session = pool.acquireSession();
        assertThatThrownBy(session::commit).hasMessage("test: the session is not in a transaction");
        session.beginTransaction();
        assertThatThrownBy(session::beginTransaction).hasMessage("test: the session is in a transaction already");
        session.close();
        session.close();
        assertThatThrownBy(() -> session.query("SELECT 1")).hasMessage("test: the session is closed");
    }

    @Test
    void aServerWithoutTransactionsSaysSo() {
        server.setRules(SessionRules.cooperative().withTransactions(false));
        try (SessionHandle session = pool.acquireSession()) {
            assertThatThrownBy(session::beginTransaction)
                    .isInstanceOfSatisfying(
                            FlightSqlException.class, e -> assertThat(e.kind()).isEqualTo(Kind.SQL));
            assertThat(count(session)).isZero();
        }
    }

    @Test
    void aLostConnectionEndsTheSessionForGood() {
        try (FaultyProxy relay = FaultyProxy.to(server.port());
                TestPool relayed = TestPool.through(relay, config -> config.maxSize(1))) {
            SessionHandle session = relayed.pool.acquireSession();
            session.update("CREATE TEMP TABLE mine AS SELECT 7 AS x");
            relay.endOpen();
            relayed.awaitMetric("pool.conn.in_use", 1);
            for (int i = 0; i < 20; i++) {
                assertThatThrownBy(() -> session.query("SELECT 1").list(row -> row.getLong(0)))
                        .isInstanceOfSatisfying(
                                FlightSqlException.class,
                                e -> assertThat(e.kind()).isIn(Kind.SESSION_LOST, Kind.CONNECTION_LOST));
            }
            assertThatThrownBy(() -> session.query("SELECT 1"))
                    .hasMessageStartingWith("test: the session is gone: ")
                    .hasMessageEndingWith("Close it and acquire another session.");
            session.close();
            assertThat(relay.acceptedNanos().size())
                    .as("the channel did not connect again")
                    .isEqualTo(1);
            assertThat(relayed.number("SELECT 3")).isEqualTo(3);
            assertThat(relay.acceptedNanos().size()).isEqualTo(2);
        }
    }
}
