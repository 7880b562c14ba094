package dev.reservoir.bench.trouble;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.bench.Jvm;
import dev.reservoir.bench.pools.PoolKind;
import dev.reservoir.bench.pools.PoolSettings;
import dev.reservoir.bench.pools.PoolUnderTest;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class CallersTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    @Test
    void everyRequestOfABurstIsCounted() throws SQLException, InterruptedException {
        Jvm.silenceLogs();
        try (PoolUnderTest pool = PoolKind.HIKARICP.open(PoolSettings.stub("burst", 2))) {
            Callers callers = new Callers(pool.dataSource(), "select 1");
            long sinceNanos = System.nanoTime();
            callers.burst(4, 3, LIMIT);
            assertThat(callers.outcomes.served(sinceNanos)).isEqualTo(12);
            assertThat(callers.outcomes.unanswered()).isZero();
        }
    }

    @Test
    void requestsOfAClosedPoolAreLost() throws SQLException, InterruptedException {
        Jvm.silenceLogs();
        PoolUnderTest pool = PoolKind.HIKARICP.open(PoolSettings.stub("closed", 2));
        pool.close();
        Callers callers = new Callers(pool.dataSource(), "select 1");
        long sinceNanos = System.nanoTime();
        callers.burst(1, 2, LIMIT);
        assertThat(callers.outcomes.lost(sinceNanos)).isEqualTo(2);
        assertThat(callers.outcomes.nanosToFirstServed(sinceNanos, sinceNanos)).isInfinite();
    }
}
