package dev.reservoir.jdbc.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.Stats;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.TestPostgres;
import dev.reservoir.jdbc.Validation;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** While the system gives no thread, checkouts may fail and closes wait. Afterwards everything works as before. */
@Timeout(180)
class ThreadShortageTest {
    private static final int POOL = 4;

    private final AtomicBoolean shortage = new AtomicBoolean();
    private final AtomicInteger refused = new AtomicInteger();
    private final ThreadFactory threads = task -> {
        if (shortage.get()) {
            refused.incrementAndGet();
            throw new OutOfMemoryError("unable to create native thread");
        }
        return new Thread(task);
    };

    @Test
    void noConnectionIsLost() throws Exception {
        String name = "thread-shortage";
        try (Backends backends = Backends.of(TestPostgres.url());
                ReservoirDataSource pool = Pools.named(name, TestPostgres.url())
                        .maxOpen(POOL)
                        .validation(Validation.CHECKOUT)
                        .threadFactory(threads)
                        .acquireTimeout(Duration.ofSeconds(1))
                        .build()) {
            Awaitility.await("threads that were kept for the next call have ended, except the one that validates")
                    .atMost(Pools.PATIENCE)
                    .until(() -> Pools.threadsOf(name).stream()
                                    .filter(thread -> thread.contains("-worker-"))
                                    .count()
                            <= 1);
            shortage.set(true);
            for (int i = 0; i < 2 * POOL; i++) {
                useIfPossible(pool);
            }
            // There is no thread to close these connections, and none to open their replacements.
            try (Connection one = pool.getConnection()) {
                pool.evict(one);
            }
            pool.flush();
            Awaitility.await("threads were asked for").atMost(Pools.PATIENCE).until(() -> refused.get() > POOL);
            for (int i = 0; i < POOL; i++) {
                useIfPossible(pool);
            }
            shortage.set(false);

            Awaitility.await("the books balance").atMost(Pools.PATIENCE).untilAsserted(() -> {
                Stats stats = pool.stats();
                assertThat(stats.ready()).as("ready in %s", stats).isEqualTo(POOL);
                assertThat(stats.inUse()).as("in use in %s", stats).isZero();
                assertThat(stats.open()).as("open in %s", stats).isEqualTo(POOL);
                assertThat(backends.count(name)).as("sessions").isEqualTo(POOL);
            });
            Pools.useOnce(pool);
            Pools.closeAndCheck(pool, name, backends);
        }
    }

    private static void useIfPossible(ReservoirDataSource pool) {
        try {
            Pools.useOnce(pool);
        } catch (SQLException e) {
            assertThat((Throwable) e).hasMessageContaining("no connection within");
        }
    }
}
