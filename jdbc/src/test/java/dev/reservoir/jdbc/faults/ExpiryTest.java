package dev.reservoir.jdbc.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.Pooled;
import dev.reservoir.core.Stats;
import dev.reservoir.core.spi.Listener;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.TestPostgres;
import dev.reservoir.testkit.FaultyProxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Whole generations of connections reach the end of their lifetime, and no caller notices. */
class ExpiryTest {
    private static final int POOL = 8;
    private static final int ALLOWANCE = 4;
    private static final int GENERATIONS = 4;

    @Test
    void aTransactionLivesPastTheEndOfItsConnectionAndTheReservoirStaysFull() throws Exception {
        String name = "expiry";
        Witness witness = new Witness();
        try (Backends backends = Backends.of(TestPostgres.url());
                ReservoirDataSource pool = Pools.named(name, TestPostgres.url())
                        .maxOpen(POOL)
                        .successorAllowance(ALLOWANCE)
                        .baseLifetime(Duration.ofSeconds(4))
                        .lifetimeJitter(Duration.ofSeconds(1))
                        .guardWindow(Duration.ofSeconds(1))
                        .listener(witness)
                        .build()) {
            backends.execute("create table if not exists long_work (step int)");
            backends.execute("truncate long_work");
            witness.watchFrom(POOL);
            try (Load load = Load.start(pool, 3, (connection, worker, round) -> Pools.pid(connection));
                    Sampler usable = Sampler.of(() -> usable(pool.stats()));
                    Sampler all = Sampler.of(() -> openOrOpening(pool.stats()))) {
                int longTransactions = 0;
                do {
                    holdPastItsEnd(pool, witness, backends, name);
                    longTransactions++;
                } while (pool.stats().opened() < (long) GENERATIONS * POOL);
                usable.stop();
                all.stop();
                load.stop();

                assertThat(load.unexpected()).isEmpty();
                assertThat(load.refused()).isEmpty();
                assertThat(load.broken()).isEmpty();
                assertThat(witness.handedOutTooLate).isEmpty();
                assertThat(witness.fewest()).as("fewest usable, by events").isGreaterThanOrEqualTo(POOL);
                assertThat(usable.smallest()).as("fewest usable, by samples").isGreaterThanOrEqualTo(POOL);
                assertThat(all.largest()).as("most open or opening").isLessThanOrEqualTo(POOL + ALLOWANCE);
                assertThat(backends.number("select count(*) from long_work")).isEqualTo(2L * longTransactions);
            }
            assertThat(pool.stats().discards().keySet())
                    .as("nothing left but for its age")
                    .isSubsetOf(
                            DiscardReason.SUPERSEDED,
                            DiscardReason.EXPIRING_SOON_ON_SCAN,
                            DiscardReason.EXPIRED_ON_RETURN,
                            DiscardReason.INSUFFICIENT_REMAINING_LIFETIME);
            backends.execute("drop table long_work");
            Pools.closeAndCheck(pool, name, backends);
        }
    }

    /**
     * One worker only, and connects that hang instead of failing, so that no connection passes directly from one caller
     * to the next. So the clock value at which a connection was acquired is also the one that the test checks.
     */
    @Test
    void nobodyGetsAConnectionInItsGuardWindowEvenIfNoSuccessorCanBeHad() throws Exception {
        String name = "expiry-without-successors";
        Witness witness = new Witness();
        try (FaultyProxy proxy = FaultyProxy.to(TestPostgres.port());
                Backends backends = Backends.of(TestPostgres.url());
                ReservoirDataSource pool = Pools.named(name, proxy.url(TestPostgres.url()))
                        .maxOpen(POOL)
                        .baseLifetime(Duration.ofSeconds(3))
                        .lifetimeJitter(Duration.ofSeconds(1))
                        .guardWindow(Duration.ofSeconds(1))
                        .connectTimeout(Pools.PATIENCE)
                        .listener(witness)
                        .build()) {
            proxy.comers(FaultyProxy.Mode.SWALLOW);
            try (Load load = Load.start(pool, 1, (connection, worker, round) -> Pools.pid(connection))) {
                Awaitility.await("all too old to be in use")
                        .atMost(Pools.PATIENCE)
                        .until(() -> pool.stats().open() == 0 && pool.stats().waiting() == 1);
                proxy.comers(FaultyProxy.Mode.PASS);
                load.awaitRounds(20);
                load.stop();

                assertThat(load.unexpected()).isEmpty();
                assertThat(load.refused()).isEmpty();
                assertThat(load.broken()).isEmpty();
                assertThat(witness.handedOutTooLate).isEmpty();
            }
            Pools.closeAndCheck(pool, name, backends);
        }
    }

    /** Now and then one connection is being validated for a moment. */
    private static int usable(Stats stats) {
        return stats.open();
    }

    private static int openOrOpening(Stats stats) {
        return stats.open() + stats.opening();
    }

    /** Runs one transaction that is still in progress when the lifetime of its connection ends. */
    private static void holdPastItsEnd(ReservoirDataSource pool, Witness witness, Backends backends, String name)
            throws SQLException {
        int pid;
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            long takenNanos = System.nanoTime();
            Pooled<Object> pooled = witness.lastHandedOutToMe();
            Duration rest = Duration.ofNanos(pooled.expiresNanos() - pooled.acquiredNanos());
            connection.setAutoCommit(false);
            pid = Pools.pid(connection);
            statement.executeUpdate("insert into long_work values (1)");
            Awaitility.await("end of the connection's life")
                    .atMost(Pools.PATIENCE)
                    .until(() -> System.nanoTime() - takenNanos > rest.toNanos());
            assertThat(connection.isValid(1)).as("it works").isTrue();
            statement.executeUpdate("insert into long_work values (2)");
            connection.commit();
        }
        int retired = pid;
        Awaitility.await("retirement on return")
                .atMost(Pools.PATIENCE)
                .until(() -> !backends.pids(name).contains(retired));
    }

    /** Receives the events of every connection, and checks each checkout when it begins. */
    private static final class Witness implements Listener<Object> {
        private final Collection<String> handedOutTooLate = new ConcurrentLinkedQueue<>();
        private final Map<Thread, Pooled<Object>> lastHandedOut = new ConcurrentHashMap<>();
        private final AtomicInteger open = new AtomicInteger();
        private final AtomicInteger fewest = new AtomicInteger(Integer.MAX_VALUE);
        private volatile boolean watching;

        /** Called when the first fill is complete. */
        void watchFrom(int expected) {
            Awaitility.await("first fill heard of").atMost(Pools.PATIENCE).until(() -> open.get() == expected);
            watching = true;
        }

        int fewest() {
            return fewest.get();
        }

        Pooled<Object> lastHandedOutToMe() {
            return List.of(lastHandedOut.get(Thread.currentThread())).get(0);
        }

        @Override
        public boolean wantsCheckouts() {
            return true;
        }

        @Override
        public void opened(Pooled<Object> connection, long openNanos) {
            open.incrementAndGet();
        }

        @Override
        public void discarded(Pooled<Object> connection, DiscardReason reason, long remainingNanos) {
            int now = open.decrementAndGet();
            if (watching && reason != DiscardReason.SHUTDOWN) {
                fewest.accumulateAndGet(now, Math::min);
            }
        }

        @Override
        public void acquired(Pooled<Object> connection) {
            lastHandedOut.put(Thread.currentThread(), connection);
            if (connection.acquiredNanos() >= connection.usableUntilNanos()) {
                handedOutTooLate.add(connection + " in use "
                        + (connection.acquiredNanos() - connection.usableUntilNanos()) + " ns into its guard window");
            }
        }
    }
}
