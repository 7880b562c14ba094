package dev.reservoir.jdbc.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.jdbc.ErrorRule;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.TestPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The first use of a session that the server killed reveals the loss. Other killed sessions are never handed out. */
class TerminatedBackendsTest {
    private static final int POOL = 20;
    private static final int WORKERS = 4;

    @Test
    void aWorkerHitByTheKillingOfHalfTheSessionsGetsNoOtherThatWasNotValidatedSince() throws Exception {
        String name = "terminated-under-load";
        ValidationLog validations = new ValidationLog();
        try (Backends backends = Backends.of(TestPostgres.url());
                ReservoirDataSource pool = Pools.named(name, validations.dataSource(TestPostgres.url(), name))
                        .maxOpen(POOL)
                        .keepalive(Duration.ofSeconds(1))
                        .build()) {
            try (Load load = Load.start(pool, WORKERS, validations.watched(TerminatedBackendsTest::ask))) {
                load.awaitRounds(20);
                List<Integer> killed = backends.pids(name).subList(0, POOL / 2);
                backends.terminateAndAwait(killed);
                load.awaitRounds(50);
                // Killed sessions that no worker used are found by the validation of idle connections.
                backends.awaitCount(name, POOL);
                load.stop();

                assertThat(load.unexpected()).isEmpty();
                assertThat(load.refused()).isEmpty();
                assertThat(validations.hitsWithoutExcuse()).isEmpty();
                Pools.awaitReady(pool, POOL);
                assertThat(backends.pids(name)).hasSize(POOL).doesNotContainAnyElementsOf(killed);
            }
            Pools.closeAndCheck(pool, name, backends);
        }
    }

    private static void ask(Connection connection, int worker, long round) throws SQLException {
        connection.setAutoCommit(false);
        Pools.pid(connection);
        Pools.number(connection, "select count(*) from pg_class");
        connection.commit();
    }

    @Test
    void oneErrorIsEnoughForAllOtherKilledSessionsToBeValidatedAndDropped() throws Exception {
        String name = "terminated-one-error";
        try (Backends backends = Backends.of(TestPostgres.url());
                ReservoirDataSource pool =
                        Pools.named(name, TestPostgres.url()).maxOpen(POOL).build()) {
            List<Integer> killed;
            try (Connection inUse = pool.getConnection()) {
                int pidInUse = Pools.pid(inUse);
                killed = new ArrayList<>(backends.pids(name));
                killed.remove((Integer) pidInUse);
                killed = new ArrayList<>(killed.subList(0, POOL / 2 - 1));
                killed.add(pidInUse);
                backends.terminateAndAwait(killed);
                assertThatThrownBy(() -> Pools.pid(inUse))
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                e -> assertThat(ErrorRule.standard().isBad(e)).isTrue());
            }
            for (int i = 0; i < 3 * POOL; i++) {
                assertThat(killed).doesNotContain(Pools.useOnce(pool));
            }
            Pools.awaitReady(pool, POOL);
            assertThat(pool.stats().discards())
                    .containsEntry(DiscardReason.BAD, 1L)
                    .containsEntry(DiscardReason.VALIDATION_FAILED, POOL / 2 - 1L)
                    .hasSize(2);
            Pools.closeAndCheck(pool, name, backends);
        }
    }

    @Test
    void noRequestFailsAfterAllIdleSessionsWereKilled() throws Exception {
        String name = "terminated-idle";
        try (Backends backends = Backends.of(TestPostgres.url());
                ReservoirDataSource pool = Pools.named(name, TestPostgres.url()).build()) {
            for (int round = 0; round < 3; round++) {
                Pools.awaitReady(pool, 10);
                // Connections used within the last half second are not validated at checkout.
                TimeUnit.MILLISECONDS.sleep(600);
                backends.terminateAndAwait(backends.pids(name));
                ExecutorService callers = Executors.newFixedThreadPool(16);
                try {
                    List<Callable<Integer>> requests = Collections.nCopies(64, () -> Pools.useOnce(pool));
                    for (Future<Integer> request : callers.invokeAll(requests)) {
                        assertThat(request.get()).isPositive();
                    }
                } finally {
                    callers.shutdownNow();
                }
            }
            Pools.closeAndCheck(pool, name, backends);
        }
    }
}
