package dev.reservoir.jdbc.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.Stats;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.TestPostgres;
import dev.reservoir.testkit.FaultyProxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/**
 * The server never has more connections than allowed, and none after the end. Counted on the wire and on the server.
 */
class ServerCountTest {
    private static final int POOL = 10;
    private static final int ALLOWANCE = 2;
    private static final int EVICT_EVERY = 25;

    /**
     * Bounds how many closed connections the server and the wire may still count. A place becomes free when the close
     * of the driver has ended, which is a moment earlier. This covers the predecessors of successors, and the
     * connection that the one evicting worker released.
     */
    private static final int STILL_CLOSING = ALLOWANCE + 1;

    @Test
    void noMoreConnectionsThanAgreedAreSeenWhateverHappensAndNoneAfterTheEnd() throws Exception {
        String name = "server-count";
        try (FaultyProxy proxy = FaultyProxy.to(TestPostgres.port());
                Backends backends = Backends.of(TestPostgres.url());
                Backends forSamples = Backends.of(TestPostgres.url());
                ReservoirDataSource pool = Pools.named(name, proxy.url(TestPostgres.url()))
                        .maxOpen(POOL)
                        .successorAllowance(ALLOWANCE)
                        .baseLifetime(Duration.ofSeconds(3))
                        .lifetimeJitter(Duration.ofSeconds(1))
                        .guardWindow(Duration.ofMillis(500))
                        .build()) {
            try (Sampler seen = Sampler.of(() -> forSamples.count(name));
                    Sampler booked = Sampler.of(() -> booked(pool.stats()));
                    Load load =
                            Load.start(pool, 4, (connection, worker, round) -> work(pool, connection, worker, round))) {
                awaitSuperseded(pool, POOL);
                backends.terminate(backends.pids(name).subList(0, 3));
                awaitSuperseded(pool, 2 * POOL);
                load.stop();
                Pools.closeAndCheck(pool, name, backends);
                seen.stop();
                booked.stop();

                assertThat(load.unexpected()).isEmpty();
                assertThat(load.refused()).isEmpty();
                assertThat(booked.largest()).as("in the books").isLessThanOrEqualTo(POOL + ALLOWANCE);
                assertThat(seen.largest())
                        .as("sessions seen by the server")
                        .isBetween(POOL, POOL + ALLOWANCE + STILL_CLOSING);
                assertThat(proxy.mostAtOnce())
                        .as("connections on the wire")
                        .isBetween(POOL, POOL + ALLOWANCE + STILL_CLOSING);
            }
            Stats end = pool.stats();
            assertThat(end.closed()).as("each is closed once, in %s", end).isEqualTo(end.opened());
        }
    }

    private static int booked(Stats stats) {
        return stats.open() + stats.opening();
    }

    private static void work(ReservoirDataSource pool, Connection connection, int worker, long round)
            throws SQLException {
        Pools.pid(connection);
        if (worker == 0 && round % EVICT_EVERY == EVICT_EVERY - 1) {
            pool.evict(connection);
        }
    }

    private static void awaitSuperseded(ReservoirDataSource pool, long atLeast) {
        Awaitility.await(atLeast + " superseded")
                .atMost(Pools.PATIENCE)
                .until(() -> pool.stats().discards().getOrDefault(DiscardReason.SUPERSEDED, 0L) >= atLeast);
    }
}
