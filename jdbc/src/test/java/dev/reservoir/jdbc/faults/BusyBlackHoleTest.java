package dev.reservoir.jdbc.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.TestPostgres;
import dev.reservoir.testkit.FaultyProxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Connections in use whose packets are lost are found by asking the server, and slow ones are left alone. Uses default
 * settings.
 */
@Timeout(180)
class BusyBlackHoleTest {
    private static final int POOL = 4;

    @Test
    void callersAreServedAgainAndTheStuckOnesGetAnError() throws Exception {
        String name = "busy-lost";
        try (FaultyProxy proxy = FaultyProxy.to(TestPostgres.port());
                Backends backends = Backends.of(TestPostgres.url());
                ReservoirDataSource pool = Pools.named(name, proxy.url(TestPostgres.url()))
                        .maxOpen(POOL)
                        .build()) {
            List<Integer> lost = backends.pids(name);
            CountDownLatch swallowed = new CountDownLatch(1);
            List<Future<Integer>> stuck = new ArrayList<>();
            for (int i = 0; i < POOL; i++) {
                // Some connections lose the answer, others the query.
                boolean asksBefore = i % 2 == 0;
                stuck.add(start(() -> {
                    try (Connection connection = pool.getConnection()) {
                        if (asksBefore) {
                            return Pools.number(connection, "select 1 from pg_sleep(1)");
                        }
                        swallowed.await();
                        return Pools.pid(connection);
                    }
                }));
            }
            awaitNumber(
                    backends,
                    "select count(*) from pg_stat_activity where state = 'active' and application_name = '" + name
                            + "'",
                    POOL / 2);
            Awaitility.await().atMost(Pools.PATIENCE).until(() -> pool.stats().inUse() == POOL);
            proxy.loseOpen();
            swallowed.countDown();

            List<Future<Integer>> waiters = new ArrayList<>();
            for (int i = 0; i < 2 * POOL; i++) {
                waiters.add(start(() -> Pools.useOnce(pool)));
            }
            for (Future<Integer> waiter : waiters) {
                assertThat(lost).doesNotContain(waiter.get(Pools.SERVED_AGAIN.toSeconds(), TimeUnit.SECONDS));
            }
            for (Future<Integer> call : stuck) {
                // Without detection it would hang for ever, because the socket to the proxy is alive.
                assertThatThrownBy(() -> call.get(Pools.SERVED_AGAIN.toSeconds(), TimeUnit.SECONDS))
                        .isInstanceOf(ExecutionException.class)
                        .hasCauseInstanceOf(SQLException.class);
            }
            Pools.awaitReady(pool, POOL);
            assertThat(pool.stats().discards()).containsEntry(DiscardReason.UNRESPONSIVE, (long) POOL);
            proxy.findLost();
            backends.awaitCount(name, POOL);
            assertThat(backends.pids(name)).doesNotContainAnyElementsOf(lost);
            Pools.closeAndCheck(pool, name, backends);
        }
    }

    @Test
    void longStatementsLockWaitsAndIdleTransactionsSurviveThoughOthersWait() throws Exception {
        String name = "busy-slow";
        try (Backends backends = Backends.of(TestPostgres.url());
                Backends locker = Backends.of(TestPostgres.url());
                ReservoirDataSource pool =
                        Pools.named(name, TestPostgres.url()).maxOpen(3).build()) {
            locker.execute("create table locked_row (id int)");
            locker.execute("insert into locked_row values (1)");
            locker.execute("begin");
            locker.execute("select * from locked_row for update");
            Future<Integer> sleeper =
                    start(() -> using(pool, connection -> Pools.number(connection, "select 10 from pg_sleep(10)")));
            Future<Integer> lockWaiter = start(
                    () -> using(pool, connection -> Pools.number(connection, "select id from locked_row for update")));
            CountDownLatch holdersEnd = new CountDownLatch(1);
            Future<Integer> idler = start(() -> using(pool, connection -> {
                connection.setAutoCommit(false);
                int pid = Pools.pid(connection);
                holdersEnd.await();
                assertThat(Pools.pid(connection)).isEqualTo(pid);
                connection.rollback();
                return 1;
            }));
            Awaitility.await().atMost(Pools.PATIENCE).until(() -> pool.stats().inUse() == 3);
            List<Future<Integer>> waiters = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                waiters.add(start(() -> using(pool, connection -> {
                    holdersEnd.await();
                    return Pools.number(connection, "select 1");
                })));
            }

            assertThat(sleeper.get(60, TimeUnit.SECONDS)).isEqualTo(10);
            assertThat(lockWaiter.isDone()).isFalse();
            locker.execute("rollback");
            assertThat(lockWaiter.get(60, TimeUnit.SECONDS)).isEqualTo(1);
            holdersEnd.countDown();
            assertThat(idler.get(60, TimeUnit.SECONDS)).isEqualTo(1);
            for (Future<Integer> waiter : waiters) {
                assertThat(waiter.get(60, TimeUnit.SECONDS)).isEqualTo(1);
            }
            assertThat(pool.stats().discards())
                    .doesNotContainKeys(DiscardReason.UNRESPONSIVE, DiscardReason.BAD, DiscardReason.VALIDATION_FAILED);
            Pools.awaitReady(pool, 3);
            locker.execute("drop table locked_row");
            Pools.closeAndCheck(pool, name, backends);
        }
    }

    /** One use of a connection. */
    @FunctionalInterface
    interface Use {
        int of(Connection connection) throws Exception;
    }

    static int using(ReservoirDataSource pool, Use use) throws Exception {
        try (Connection connection = pool.getConnection()) {
            return use.of(connection);
        }
    }

    static <R> Future<R> start(Callable<R> call) {
        FutureTask<R> task = new FutureTask<>(call);
        Thread thread = new Thread(task, "caller");
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    private static void awaitNumber(Backends backends, String sql, long expected) {
        Awaitility.await(sql).atMost(Pools.PATIENCE).until(() -> backends.number(sql) == expected);
    }
}
