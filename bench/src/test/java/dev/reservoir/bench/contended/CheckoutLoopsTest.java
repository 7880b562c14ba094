package dev.reservoir.bench.contended;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.bench.Jvm;
import dev.reservoir.bench.pools.PoolKind;
import dev.reservoir.bench.pools.PoolUnderTest;
import dev.reservoir.bench.pools.StubPools;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CheckoutLoopsTest {

    @Test
    void everyThreadIsServedAndTheHoldsLimitTheThroughput() throws SQLException, InterruptedException {
        Jvm.silenceLogs();
        try (PoolUnderTest pool = StubPools.openFull(PoolKind.RESERVOIR, "loops", 2)) {
            long holdNanos = TimeUnit.MILLISECONDS.toNanos(5);
            CheckoutLoops.Outcome outcome = new CheckoutLoops(pool.dataSource(), 4, false, holdNanos).run(1);
            assertThat(outcome.shares()).hasSize(4);
            assertThat(outcome.neverServed()).isZero();
            assertThat(outcome.perSecond()).isBetween(1.0, 2 / 0.005);
            assertThat(outcome.smallestShare()).isLessThanOrEqualTo(1).isPositive();
            assertThat(outcome.largestShare()).isGreaterThanOrEqualTo(1);
            assertThat(outcome.waits().count())
                    .isGreaterThanOrEqualTo(
                            outcome.shares().stream().mapToLong(Long::longValue).sum());
        }
    }

    @Test
    void aThreadThatStillWaitsAtTheEndCountsWithItsWaitSoFar() throws SQLException, InterruptedException {
        Jvm.silenceLogs();
        try (PoolUnderTest pool = StubPools.openFull(PoolKind.RESERVOIR, "starved", 1)) {
            Connection held = pool.dataSource().getConnection();
            Thread releases = new Thread(() -> release(held), "releases");
            releases.start();
            CheckoutLoops.Outcome outcome = new CheckoutLoops(pool.dataSource(), 2, false, 1).run(1);
            releases.join();
            assertThat(outcome.neverServed()).isEqualTo(2);
            assertThat(outcome.waits().count()).isEqualTo(2);
            assertThat(outcome.waits().quantileNanos(0.5)).isGreaterThanOrEqualTo(900_000_000L);
        }
    }

    private static void release(Connection held) {
        try (held) {
            Thread.sleep(3_000);
        } catch (InterruptedException | SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
