package dev.reservoir.jdbc.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.TestMariaDb;
import dev.reservoir.testkit.FaultyProxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** On MariaDB as on PostgreSQL, a connection in use whose packets are lost is found, and slow ones are left alone. */
@Timeout(180)
class MariaDbBlackHoleTest {

    @BeforeAll
    static void needMariaDb() {
        TestMariaDb.assumeAvailable();
    }

    private static ReservoirDataSource pool(String name, FaultyProxy proxy) {
        return ReservoirDataSource.builder()
                .name(name)
                .url(proxy.url(TestMariaDb.url()))
                .maxOpen(2)
                .acquireTimeout(Pools.PATIENCE)
                .build();
    }

    @Test
    void callersAreServedAgainAndTheStuckOneGetsAnError() throws Exception {
        try (FaultyProxy proxy = FaultyProxy.to(TestMariaDb.port());
                ReservoirDataSource pool = pool("mariadb-lost", proxy)) {
            CountDownLatch swallowed = new CountDownLatch(1);
            List<Future<Integer>> stuck = Stream.of(1, 2)
                    .map(i -> BusyBlackHoleTest.start(() -> BusyBlackHoleTest.using(pool, connection -> {
                        swallowed.await();
                        return Pools.number(connection, "select 1");
                    })))
                    .toList();
            Awaitility.await().atMost(Pools.PATIENCE).until(() -> pool.stats().inUse() == 2);
            proxy.loseOpen();
            swallowed.countDown();
            Future<Integer> waiter = BusyBlackHoleTest.start(
                    () -> BusyBlackHoleTest.using(pool, connection -> Pools.number(connection, "select 2")));

            assertThat(waiter.get(Pools.SERVED_AGAIN.toSeconds(), TimeUnit.SECONDS))
                    .isEqualTo(2);
            for (Future<Integer> call : stuck) {
                assertThatThrownBy(() -> call.get(Pools.SERVED_AGAIN.toSeconds(), TimeUnit.SECONDS))
                        .isInstanceOf(ExecutionException.class)
                        .hasCauseInstanceOf(SQLException.class);
            }
            assertThat(pool.stats().discards()).containsEntry(DiscardReason.UNRESPONSIVE, 2L);
            Pools.awaitReady(pool, 2);
            proxy.findLost();
        }
    }

    @Test
    void aLongStatementAndALockWaitSurviveThoughOthersWait() throws Exception {
        try (FaultyProxy proxy = FaultyProxy.to(TestMariaDb.port());
                Connection locker = TestMariaDb.open();
                Statement statement = locker.createStatement();
                ReservoirDataSource pool = pool("mariadb-slow", proxy)) {
            statement.execute("create table locked_row (id int primary key) engine=innodb");
            statement.execute("insert into locked_row values (1)");
            locker.setAutoCommit(false);
            statement.execute("select * from locked_row for update");
            Future<Integer> sleeper = BusyBlackHoleTest.start(() ->
                    BusyBlackHoleTest.using(pool, connection -> Pools.number(connection, "select 10 + sleep(10)")));
            Future<Integer> lockWaiter = BusyBlackHoleTest.start(() -> BusyBlackHoleTest.using(
                    pool, connection -> Pools.number(connection, "select id from locked_row for update")));
            Awaitility.await().atMost(Pools.PATIENCE).until(() -> pool.stats().inUse() == 2);
            CountDownLatch end = new CountDownLatch(1);
            List<Future<Integer>> waiters = Stream.of(1, 2, 3)
                    .map(i -> BusyBlackHoleTest.start(() -> BusyBlackHoleTest.using(pool, connection -> {
                        end.await();
                        return Pools.number(connection, "select 1");
                    })))
                    .toList();

            assertThat(sleeper.get(60, TimeUnit.SECONDS)).isEqualTo(10);
            assertThat(lockWaiter.isDone()).isFalse();
            locker.rollback();
            assertThat(lockWaiter.get(60, TimeUnit.SECONDS)).isEqualTo(1);
            end.countDown();
            for (Future<Integer> waiter : waiters) {
                assertThat(waiter.get(60, TimeUnit.SECONDS)).isEqualTo(1);
            }
            assertThat(pool.stats().discards())
                    .doesNotContainKeys(DiscardReason.UNRESPONSIVE, DiscardReason.BAD, DiscardReason.VALIDATION_FAILED);
            locker.setAutoCommit(true);
            statement.execute("drop table locked_row");
        }
    }
}
