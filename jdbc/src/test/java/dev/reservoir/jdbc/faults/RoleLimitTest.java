package dev.reservoir.jdbc.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.TestPostgres;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A role that may have exactly {@code maxOpen} connections. After the first refusals, a connection is retired before
 * its successor is opened.
 */
@Timeout(120)
class RoleLimitTest {
    private static final int POOL = 4;

    /**
     * How many successors the test waits for. If each were opened before its predecessor retires, each would be
     * refused.
     */
    private static final int SUCCESSORS = 4 * POOL;

    @Test
    void refusedConnectsStayFew() throws Exception {
        String name = "role-limit";
        try (Backends backends = Backends.of(TestPostgres.url())) {
            backends.execute("create role limited login password 'few' connection limit " + POOL);
            try (ReservoirDataSource pool = Pools.named(name, TestPostgres.urlWithoutUser())
                    .username("limited")
                    .password("few")
                    .maxOpen(POOL)
                    .baseLifetime(Duration.ofSeconds(3))
                    .lifetimeJitter(Duration.ofSeconds(1))
                    .guardWindow(Duration.ofMillis(500))
                    .build()) {
                try (Load load = Load.start(pool, POOL, (connection, worker, round) -> Pools.pid(connection))) {
                    Awaitility.await("successors")
                            .atMost(Duration.ofSeconds(90))
                            .until(() -> pool.stats().opened() >= POOL + SUCCESSORS);
                    load.stop();
                    assertThat(load.refused()).isEmpty();
                    assertThat(load.broken()).isEmpty();
                    assertThat(load.unexpected()).isEmpty();
                }
                // The server may count a closed session for a moment longer.
                assertThat(pool.stats().openFailures().getOrDefault(OpenFailureReason.SERVER_FULL, 0L))
                        .as("refused in %s", pool.stats())
                        .isLessThanOrEqualTo(SUCCESSORS / 2L);
                Pools.closeAndCheck(pool, name, backends);
            } finally {
                backends.execute("drop role limited");
            }
        }
    }
}
