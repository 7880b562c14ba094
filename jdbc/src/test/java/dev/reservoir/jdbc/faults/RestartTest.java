package dev.reservoir.jdbc.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.postgres.local.LocalPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * After a restart of the server an application sees errors only on the connections that it was using. Many more were
 * open, and all of them broke.
 */
class RestartTest {
    private static final int WORKERS = 6;
    private static final int POOL = 30;

    private static LocalPostgres server;

    @BeforeAll
    static void startServer() throws SQLException {
        server = LocalPostgres.start();
        try (Backends backends = Backends.of(server.url())) {
            backends.execute("create table ledger (worker int, round bigint)");
        }
    }

    @AfterAll
    static void stopServer() throws IOException {
        server.close();
    }

    @Test
    void aWorkerHitByARestartGetsNoConnectionThatWasNotValidatedSince() throws Exception {
        String name = "restart-under-load";
        ValidationLog validations = new ValidationLog();
        try (ReservoirDataSource pool = Pools.named(name, validations.dataSource(server.url(), name))
                .maxOpen(POOL)
                .keepalive(Duration.ofSeconds(1))
                .build()) {
            Load load = Load.start(pool, WORKERS, validations.watched(RestartTest::enterTwice));
            try (load) {
                load.awaitRounds(20);
                server.stop();
                server.startAgain();
                load.awaitRounds(20);

                assertThat(load.unexpected()).isEmpty();
                assertThat(load.refused()).isEmpty();
                assertThat(validations.hitsWithoutExcuse()).isEmpty();
            }
            try (Backends backends = Backends.of(server.url())) {
                backends.awaitCount(name, POOL);
                Pools.awaitReady(pool, POOL);
                assertThat(pool.stats().opened()).as("all were replaced").isGreaterThanOrEqualTo(2 * POOL);
                checkLedger(backends, load.rounds());
                Pools.closeAndCheck(pool, name, backends);
            }
        }
    }

    /** Checks that every committed transaction is there, and that no transaction is there only in part. */
    private static void checkLedger(Backends backends, long committed) throws SQLException {
        assertThat(backends.number("select count(*) from ledger")).isGreaterThanOrEqualTo(2 * committed);
        assertThat(backends.number("select count(*) from (select from ledger group by worker, round"
                        + " having count(*) <> 2) as torn"))
                .as("transactions torn by the restart")
                .isZero();
    }

    private static void enterTwice(Connection connection, int worker, long round) throws SQLException {
        connection.setAutoCommit(false);
        try (PreparedStatement insert = connection.prepareStatement("insert into ledger values (?, ?)")) {
            insert.setInt(1, worker);
            insert.setLong(2, round);
            insert.executeUpdate();
            insert.executeUpdate();
        }
        connection.commit();
    }

    @Test
    void aCrashDuringTransactionsCostsEachOfThemItsConnectionAndNobodyAnother() throws Exception {
        String name = "restart-crash";
        CountDownLatch allInside = new CountDownLatch(WORKERS);
        CountDownLatch goOn = new CountDownLatch(1);
        Load.Work work = (connection, worker, round) -> {
            connection.setAutoCommit(false);
            Pools.pid(connection);
            if (round == 0) {
                allInside.countDown();
                await(goOn);
            }
            Pools.pid(connection);
            connection.commit();
        };
        try (ReservoirDataSource pool =
                Pools.named(name, server.url()).maxOpen(POOL).build()) {
            try (Load load = Load.start(pool, WORKERS, work)) {
                await(allInside);
                server.crash();
                server.startAgain();
                // Nothing has noticed yet. Every connection of the pool is broken, and those not in use still count as
                // ready.
                assertThat(pool.stats().ready()).isEqualTo(POOL - WORKERS);
                goOn.countDown();
                load.awaitRounds(20);

                assertThat(load.unexpected()).isEmpty();
                assertThat(load.refused()).isEmpty();
                for (int worker = 0; worker < WORKERS; worker++) {
                    assertThat(load.brokenOf(worker))
                            .as("failures of worker %d", worker)
                            .hasSize(1);
                }
            } finally {
                goOn.countDown();
            }
            Pools.awaitReady(pool, POOL);
            try (Backends backends = Backends.of(server.url())) {
                backends.awaitCount(name, POOL);
                Pools.closeAndCheck(pool, name, backends);
            }
        }
    }

    @Test
    void callersThatWaitWhileTheServerIsAwayAreServedSoonAfterItIsBack() throws Exception {
        String name = "restart-waiters";
        try (ReservoirDataSource pool = Pools.named(name, server.url()).build()) {
            server.crash();
            Awaitility.await("the broken ones were found")
                    .atMost(Pools.PATIENCE)
                    .until(() -> pool.stats().ready() == 0);
            List<Future<Integer>> waiters = new ArrayList<>();
            for (int i = 0; i < WORKERS; i++) {
                waiters.add(BusyBlackHoleTest.start(() -> Pools.useOnce(pool)));
            }
            Awaitility.await("connects fail")
                    .atMost(Pools.PATIENCE)
                    .until(() -> pool.stats().openFailures().values().stream()
                                    .mapToLong(Long::longValue)
                                    .sum()
                            >= 3);
            server.startAgain();
            for (Future<Integer> waiter : waiters) {
                // Connects are 200 ms apart while callers wait. Otherwise the next connect could be half a minute away.
                assertThat(waiter.get(Pools.NOTICED.toSeconds(), TimeUnit.SECONDS))
                        .isPositive();
            }
            Pools.awaitReady(pool, 10);
            try (Backends backends = Backends.of(server.url())) {
                Pools.closeAndCheck(pool, name, backends);
            }
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            if (!latch.await(60, TimeUnit.SECONDS)) {
                throw new IllegalStateException("the test did not go on");
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
