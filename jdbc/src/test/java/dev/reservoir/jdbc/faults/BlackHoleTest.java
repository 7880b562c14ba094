package dev.reservoir.jdbc.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.Stats;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.TestPostgres;
import dev.reservoir.testkit.FaultyProxy;
import dev.reservoir.testkit.FaultyProxy.Mode;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A network that drops packets costs only the connects that hang and the connections that no longer answer. */
class BlackHoleTest {
    private static final int POOL = 8;
    private static final int EVICTED = 3;

    @Test
    void connectsThatHangAreGivenUpWhileReadyConnectionsAreServed() throws Exception {
        String name = "black-hole-connects";
        try (FaultyProxy proxy = FaultyProxy.to(TestPostgres.port());
                Backends backends = Backends.of(TestPostgres.url())) {
            // The driver waits longer than the reservoir, so that a connect that hung can still succeed later.
            try (ReservoirDataSource pool = Pools.named(name, proxy.url(TestPostgres.url("socketTimeout=600")))
                    .maxOpen(POOL)
                    .connectTimeout(Duration.ofSeconds(1))
                    .build()) {
                long before = failures(pool, OpenFailureReason.CONNECT_TIMEOUT);
                proxy.comers(Mode.SWALLOW);
                try (Load load = Load.start(pool, 2, BlackHoleTest::ask)) {
                    evict(pool, EVICTED);
                    Awaitility.await("connects given up")
                            .atMost(Pools.PATIENCE)
                            .until(() -> failures(pool, OpenFailureReason.CONNECT_TIMEOUT) > before + EVICTED);
                    load.awaitRounds(20);
                    Stats stats = pool.stats();
                    assertThat(stats.open()).as("those that work, in %s", stats).isEqualTo(POOL - EVICTED);
                    assertThat(stats.opening())
                            .as("at most one connect tries the way, in %s", stats)
                            .isLessThanOrEqualTo(1);

                    proxy.comers(Mode.PASS);
                    Awaitility.await("full again")
                            .atMost(Pools.PATIENCE)
                            .until(() -> pool.stats().open() == POOL);
                    load.awaitRounds(20);
                    load.stop();
                    assertThat(load.unexpected()).isEmpty();
                    assertThat(load.refused()).isEmpty();
                    assertThat(load.broken()).isEmpty();
                }
                // The connects that hung succeeded too late. The reservoir closes those sessions.
                Awaitility.await("late ones")
                        .atMost(Pools.PATIENCE)
                        .until(() -> pool.stats().discards().getOrDefault(DiscardReason.LATE, 0L) > before + EVICTED);
                Pools.awaitReady(pool, POOL);
                backends.awaitCount(name, POOL);
                Pools.closeAndCheck(pool, name, backends);
            }
        }
    }

    @Test
    void aNetworkThatBreaksUnderLoadCostsEachWorkerAtMostTheConnectionItWasUsing() throws Exception {
        String name = "black-hole-broken";
        int workers = 6;
        try (FaultyProxy proxy = FaultyProxy.to(TestPostgres.port());
                Backends backends = Backends.of(TestPostgres.url());
                ReservoirDataSource pool = Pools.named(name, proxy.url(TestPostgres.url()))
                        .maxOpen(5 * workers)
                        .build()) {
            try (Load load = Load.start(pool, workers, BlackHoleTest::ask)) {
                load.awaitRounds(20);
                // From this moment nothing is delivered, so no validation that begins after an error can succeed.
                proxy.all(Mode.REFUSE);
                proxy.all(Mode.PASS);
                load.awaitRounds(20);
                load.stop();
                assertThat(load.unexpected()).isEmpty();
                assertThat(load.refused()).isEmpty();
                assertThat(load.broken()).isNotEmpty();
                for (int worker = 0; worker < workers; worker++) {
                    assertThat(load.brokenOf(worker))
                            .as("failures of worker %d", worker)
                            .hasSizeLessThanOrEqualTo(1);
                }
            }
            Pools.awaitReady(pool, 5 * workers);
            backends.awaitCount(name, 5 * workers);
            Pools.closeAndCheck(pool, name, backends);
        }
    }

    @Test
    void openConnectionsThatNoLongerAnswerAreNoticedByTheKeepaliveAndReplaced() throws Exception {
        String name = "black-hole-open";
        try (FaultyProxy proxy = FaultyProxy.to(TestPostgres.port());
                Backends backends = Backends.of(TestPostgres.url())) {
            try (ReservoirDataSource pool = Pools.named(name, proxy.url(TestPostgres.url()))
                    .maxOpen(POOL)
                    .keepalive(Duration.ofSeconds(1))
                    .validationTimeout(Duration.ofSeconds(1))
                    .connectTimeout(Duration.ofSeconds(1))
                    .build()) {
                List<Integer> before = backends.pids(name);
                proxy.all(Mode.SWALLOW);
                Awaitility.await("all found dead").atMost(Pools.PATIENCE).untilAsserted(() -> {
                    Stats stats = pool.stats();
                    assertThat(stats.discards().getOrDefault(DiscardReason.VALIDATION_FAILED, 0L))
                            .as("found dead, in %s", stats)
                            .isGreaterThanOrEqualTo(POOL);
                    assertThat(stats.open()).isZero();
                    assertThat(stats.openFailures()).containsKey(OpenFailureReason.CONNECT_TIMEOUT);
                });

                proxy.all(Mode.PASS);
                Pools.useOnce(pool);
                Pools.awaitReady(pool, POOL);
                backends.awaitCount(name, POOL);
                assertThat(backends.pids(name)).doesNotContainAnyElementsOf(before);
                Pools.closeAndCheck(pool, name, backends);
            }
        }
    }

    @Test
    void aCheckoutThatStarvesSaysThatConnectsGetNoAnswer() throws Exception {
        String name = "black-hole-starved";
        try (FaultyProxy proxy = FaultyProxy.to(TestPostgres.port());
                Backends backends = Backends.of(TestPostgres.url())) {
            proxy.all(Mode.SWALLOW);
            try (ReservoirDataSource pool = Pools.named(name, proxy.url(TestPostgres.url()))
                    .maxOpen(2)
                    .connectTimeout(Duration.ofMillis(500))
                    .acquireTimeout(Duration.ofSeconds(1))
                    .initialFillTimeout(Duration.ZERO)
                    .build()) {
                Awaitility.await("a connect given up")
                        .atMost(Pools.PATIENCE)
                        .until(() -> failures(pool, OpenFailureReason.CONNECT_TIMEOUT) > 0);
                assertThatThrownBy(pool::getConnection)
                        .isInstanceOf(SQLTransientConnectionException.class)
                        .hasMessageStartingWith(name + ": no connection within 1")
                        .hasMessageContaining("the database does not answer connects: ");

                proxy.all(Mode.PASS);
                Pools.awaitReady(pool, 2);
                backends.awaitCount(name, 2);
                Pools.closeAndCheck(pool, name, backends);
            }
        }
    }

    @Test
    void aRefusedConnectIsTriedAgainUntilItSucceeds() throws Exception {
        String name = "black-hole-refused";
        try (FaultyProxy proxy = FaultyProxy.to(TestPostgres.port());
                Backends backends = Backends.of(TestPostgres.url())) {
            proxy.all(Mode.REFUSE);
            try (ReservoirDataSource pool = Pools.named(name, proxy.url(TestPostgres.url()))
                    .maxOpen(4)
                    .acquireTimeout(Duration.ofMillis(200))
                    .initialFillTimeout(Duration.ZERO)
                    .build()) {
                Awaitility.await("connects refused")
                        .atMost(Pools.PATIENCE)
                        .until(() -> failures(pool, OpenFailureReason.CONNECT) > 0);
                assertThatThrownBy(pool::getConnection)
                        .isInstanceOf(SQLTransientConnectionException.class)
                        .hasMessageContaining("connects to the database fail: ");

                proxy.all(Mode.PASS);
                Pools.awaitReady(pool, 4);
                Pools.closeAndCheck(pool, name, backends);
            }
        }
    }

    @Test
    @Timeout(45)
    void closeDoesNotWaitForConnectsThatHangAndWhatComesAfterItIsClosed() throws Exception {
        String name = "black-hole-close";
        try (FaultyProxy proxy = FaultyProxy.to(TestPostgres.port());
                Backends backends = Backends.of(TestPostgres.url())) {
            proxy.all(Mode.SWALLOW);
            try (ReservoirDataSource pool = Pools.named(name, proxy.url(TestPostgres.url()))
                    .maxOpen(4)
                    .connectTimeout(Duration.ofMinutes(10))
                    .drainTimeout(Duration.ZERO)
                    .initialFillTimeout(Duration.ZERO)
                    .build()) {
                Awaitility.await("connects under way")
                        .atMost(Pools.PATIENCE)
                        .until(() -> proxy.acceptedNanos().size() == 4);
                // If this waited, the test would exceed its limit, which is shorter than the wait.
                end(pool);
                assertThat(pool.isClosed()).isTrue();

                proxy.all(Mode.PASS);
                Pools.assertNoThreads(name);
                backends.awaitCount(name, 0);
            }
        }
    }

    private static void ask(Connection connection, int worker, long round) throws SQLException {
        Pools.pid(connection);
    }

    private static void end(ReservoirDataSource pool) {
        pool.close();
    }

    private static void evict(ReservoirDataSource pool, int count) throws SQLException {
        List<Connection> taken = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Connection connection = pool.getConnection();
            taken.add(connection);
            pool.evict(connection);
        }
        for (Connection connection : taken) {
            connection.close();
        }
    }

    private static long failures(ReservoirDataSource pool, OpenFailureReason reason) {
        return pool.stats().openFailures().getOrDefault(reason, 0L);
    }
}
