package dev.reservoir.jdbc.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.TestPostgres;
import dev.reservoir.testkit.FaultyProxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Connects reach the server no faster than the configured rate, during the fill and while all connections are replaced.
 */
class RateTest {
    private static final int POOL = 30;
    private static final double RATE_PER_SECOND = 20;
    private static final int BURST = 5;

    /**
     * Bounds how late a connect may reach the server. On a busy machine a delayed connect arrives together with the
     * next ones, but none arrives early. So the time between two arrivals may contain the connects of a period that is
     * longer by this much.
     */
    private static final double HELD_UP_SECONDS = 1;

    @Test
    void connectsNeverComeFasterThanTheRateAndTheBurstAllow() throws Exception {
        String name = "rate";
        try (FaultyProxy proxy = FaultyProxy.to(TestPostgres.port());
                Backends backends = Backends.of(TestPostgres.url())) {
            long startNanos = System.nanoTime();
            try (ReservoirDataSource pool = Pools.named(name, proxy.url(TestPostgres.url()))
                            .maxOpen(POOL)
                            .connectionRateLimit(RATE_PER_SECOND)
                            .connectionBurstLimit(BURST)
                            .build();
                    Load load = Load.start(pool, 2, RateTest::ask)) {
                pool.flush();
                load.awaitRounds(20);
                load.stop();
                Pools.awaitReady(pool, POOL);
                assertThat(load.unexpected()).isEmpty();
                assertThat(load.refused()).isEmpty();
                assertThat(load.broken()).isEmpty();
                Pools.closeAndCheck(pool, name, backends);
            }
            List<Long> knocks = proxy.acceptedNanos();
            assertThat(knocks).hasSizeGreaterThanOrEqualTo(2 * POOL);
            for (int last = 0; last < knocks.size(); last++) {
                assertThat(last + 1.0)
                        .as("connects since the start")
                        .isLessThanOrEqualTo(allowed(startNanos, knocks.get(last), 0));
                for (int first = 0; first < last; first++) {
                    assertThat(last - first + 1.0)
                            .as("connects from %d to %d", first, last)
                            .isLessThanOrEqualTo(allowed(knocks.get(first), knocks.get(last), HELD_UP_SECONDS));
                }
            }
        }
    }

    private static double allowed(long fromNanos, long toNanos, double heldUpSeconds) {
        double seconds = Duration.ofNanos(toNanos - fromNanos).toNanos() / 1e9 + heldUpSeconds;
        return BURST + RATE_PER_SECOND * seconds;
    }

    private static void ask(Connection connection, int worker, long round) throws SQLException {
        Pools.pid(connection);
    }
}
