package dev.reservoir.flightsql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.reservoir.flightsql.server.FlightSqlServer;
import dev.reservoir.flightsql.server.junit.FlightSqlServerExtension;
import dev.reservoir.testkit.FaultyProxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Faults of another pool that this one must not have. Those that are not here are in the tests of their concern:
 *
 * <ul>
 *   <li>timeouts that are read and ignored: {@link TimeoutTest}, {@link QueryTest#anOpenResultHoldsItsConnection}
 *   <li>a session that is given back with its transaction or its temporary tables:
 *       {@link SessionTest#aTransactionIsRolledBackOnRelease}, {@link SessionTest#aTemporaryTableLivesInItsSessionOnly}
 *   <li>a change of data that is sent twice because it came as a query:
 *       {@link FailureTest#whatWritesIsNeverSentAgainHoweverItIsSent}
 *   <li>a cancelled future that loses its connection: {@link AsyncTest#aCancelledFutureLosesNoConnection},
 *       {@link AsyncTest#aCancelledCallOfASessionIsStoppedOnTheServer}
 *   <li>SQL errors that cost a connection: {@link QueryTest#anSqlErrorCostsNoConnection}
 * </ul>
 */
class OriginalFaultsTest {
    @RegisterExtension
    static final FlightSqlServerExtension flight = new FlightSqlServerExtension();

    private final FlightSqlServer server = flight.server();

    @Test
    void aWaiterIsServedWhenAConnectionIsDropped() throws Exception {
        try (TestPool test = TestPool.of(server, config -> config.maxSize(1))) {
            PooledConnection held = test.pool.acquire();
            var waiting =
                    test.pool.async().queryList("SELECT 1", List.of(), QueryOptions.defaults(), row -> row.getLong(0));
            test.awaitMetric("pool.acquire.waiting", 1);
            held.discard();
            assertThat(waiting.get(15, TimeUnit.SECONDS)).containsExactly(1L);
        }
    }

    @Test
    void aWaiterIsServedWhenAConnectionIsLost() throws Exception {
        try (FaultyProxy relay = FaultyProxy.to(server.port());
                TestPool test = TestPool.through(relay, config -> config.maxSize(1))) {
            SessionHandle session = test.pool.acquireSession();
            var waiting =
                    test.pool.async().queryList("SELECT 1", List.of(), QueryOptions.defaults(), row -> row.getLong(0));
            test.awaitMetric("pool.acquire.waiting", 1);
            relay.endOpen();
            session.close();
            assertThat(waiting.get(15, TimeUnit.SECONDS)).containsExactly(1L);
        }
    }

    @Test
    void idleConnectionsAreDroppedDownToTheMinimum() {
        try (TestPool test =
                TestPool.of(server, config -> config.minIdle(1).maxSize(3).idleTtl(Duration.ofMillis(200)))) {
            List<PooledConnection> held = List.of(test.pool.acquire(), test.pool.acquire(), test.pool.acquire());
            held.forEach(PooledConnection::close);
            test.awaitMetric("pool.conn.dropped.idle", 2);
            await().during(Duration.ofMillis(500)).until(() -> test.metric("pool.conn.idle") == 1);
            assertThat(test.metric("pool.conn.dropped")).isEqualTo(2);
        }
    }
}
