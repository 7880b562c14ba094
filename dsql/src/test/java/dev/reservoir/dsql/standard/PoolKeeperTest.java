package dev.reservoir.dsql.standard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The pace at which a pool replaces what has expired. */
class PoolKeeperTest {
    private final AtomicInteger waiting = new AtomicInteger();
    private long nowNanos;

    private PoolKeeper keeper(int size) {
        return new PoolKeeper(size, waiting::get, () -> nowNanos, nanos -> nowNanos += nanos);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "50, 1", "100, 1", "120, 1", "121, 2", "500, 5", "1000, 9", "1200, 10", "10000, 10"})
    void aPoolIsReplacedWithinTwoMinutesUpToTenASecond(int size, int perTick) {
        assertThat(PoolKeeper.perTick(size)).isEqualTo(perTick);
    }

    @Test
    void soManyInEachSecondAndNoMore() throws InterruptedException {
        PoolKeeper keeper = keeper(500);
        List<Long> turns = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            keeper.awaitPace();
            turns.add(TimeUnit.NANOSECONDS.toSeconds(nowNanos));
        }
        for (long second = 0; second < 10; second++) {
            long tick = second;
            assertThat(turns.stream().filter(turn -> turn == tick)).hasSize(5);
        }
    }

    @Test
    void whileSomebodyWaitsNobodyIsHeldBack() throws InterruptedException {
        PoolKeeper keeper = keeper(100);
        waiting.set(1);
        for (int i = 0; i < 100; i++) {
            keeper.awaitPace();
        }
        assertThat(nowNanos).isZero();
    }
}
