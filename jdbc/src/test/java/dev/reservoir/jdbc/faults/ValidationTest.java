package dev.reservoir.jdbc.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.ReservoirDataSourceBuilder;
import dev.reservoir.jdbc.TestPostgres;
import dev.reservoir.jdbc.Validation;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** With every kind of validation, a connection that was killed while idle is never handed out. */
class ValidationTest {
    private static final int POOL = 6;

    @Test
    void atEveryCheckoutAKilledConnectionIsNeverHandedOut() throws Exception {
        String name = "validation-checkout";
        checkAfterTheKill(name, Pools.named(name, TestPostgres.url()).validation(Validation.CHECKOUT));
    }

    @Test
    void atEveryCheckoutByAQueryAKilledConnectionIsNeverHandedOut() throws Exception {
        String name = "validation-query";
        checkAfterTheKill(
                name,
                Pools.named(name, TestPostgres.url())
                        .validation(Validation.CHECKOUT)
                        .validationQuery("select 1"));
    }

    @Test
    void afterIdlenessAKilledConnectionIsNeverHandedOut() throws Exception {
        String name = "validation-idle";
        checkAfterTheKill(
                name,
                Pools.named(name, TestPostgres.url())
                        .validation(Validation.IDLE)
                        .validationIdle(Duration.ofMillis(50)));
    }

    private static void checkAfterTheKill(String name, ReservoirDataSourceBuilder builder) throws SQLException {
        try (Backends backends = Backends.of(TestPostgres.url());
                ReservoirDataSource pool =
                        builder.maxOpen(POOL).keepalive(Duration.ZERO).build()) {
            for (int times = 0; times < 3; times++) {
                useAll(pool);
                List<Integer> killed = backends.pids(name);
                long returnedNanos = System.nanoTime();
                backends.terminateAndAwait(killed);
                Awaitility.await("idleness")
                        .until(() -> System.nanoTime() - returnedNanos
                                > Duration.ofMillis(60).toNanos());
                useAll(pool);
                Pools.awaitReady(pool, POOL);
                assertThat(backends.pids(name)).hasSize(POOL).doesNotContainAnyElementsOf(killed);
            }
            assertThat(pool.stats().discards()).containsOnlyKeys(DiscardReason.VALIDATION_FAILED);
            Pools.closeAndCheck(pool, name, backends);
        }
    }

    /** Any error here fails the test, because an application would see it. */
    private static void useAll(ReservoirDataSource pool) throws SQLException {
        for (int i = 0; i < 2 * POOL; i++) {
            Pools.useOnce(pool);
        }
    }

    @Test
    void inTheBackgroundKilledConnectionsAreFoundAndReplacedBeforeAnybodyAsks() throws Exception {
        String name = "validation-background";
        try (Backends backends = Backends.of(TestPostgres.url());
                ReservoirDataSource pool = Pools.named(name, TestPostgres.url())
                        .maxOpen(POOL)
                        .keepalive(Duration.ofSeconds(1))
                        .build()) {
            List<Integer> killed = backends.pids(name);
            backends.terminateAndAwait(killed);
            Awaitility.await("all found")
                    .atMost(Pools.PATIENCE)
                    .until(() -> pool.stats().discards().getOrDefault(DiscardReason.VALIDATION_FAILED, 0L) == POOL);
            useAll(pool);
            Pools.awaitReady(pool, POOL);
            assertThat(backends.pids(name)).hasSize(POOL).doesNotContainAnyElementsOf(killed);
            Pools.closeAndCheck(pool, name, backends);
        }
    }
}
