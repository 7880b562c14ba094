package dev.reservoir.sim.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.reservoir.sim.result.Outcome.Waits;
import org.junit.jupiter.api.Test;

class WaitTimesTest {
    private static final long MILLI = 1_000_000L;

    @Test
    void percentilesAreThoseOfAllCheckouts() {
        WaitTimes books = new WaitTimes();
        for (int i = 0; i < 900; i++) {
            books.none();
        }
        for (int i = 1; i <= 100; i++) {
            books.add(i * MILLI);
        }
        Waits waits = books.summary();
        assertThat(waits.count()).isEqualTo(1_000);
        assertThat(waits.p50Nanos()).isZero();
        assertThat(books.percentile(90)).isZero();
        assertThat((double) books.percentile(95) / MILLI).isCloseTo(50, within(0.05));
        assertThat((double) waits.p99Nanos() / MILLI).isCloseTo(90, within(0.1));
        assertThat((double) waits.p999Nanos() / MILLI).isCloseTo(99, within(0.1));
        assertThat(waits.maxNanos()).isEqualTo(100 * MILLI);
    }

    @Test
    void noNumberIsLargerThanTheWaitItStandsFor() {
        for (long wait :
                new long[] {1, 999, 1_000_001, 249_999_999, 250_000_000, 5_000_000_000L, 86_400_000_000_000L}) {
            WaitTimes books = new WaitTimes();
            books.add(wait);
            assertThat(books.percentile(99.9)).isBetween(wait - wait / 1_000, wait);
            assertThat(books.max()).isEqualTo(wait);
        }
    }

    @Test
    void afterAResetNothingIsLeft() {
        WaitTimes books = new WaitTimes();
        books.none();
        books.add(MILLI);
        books.reset();
        assertThat(books.summary()).isEqualTo(new Waits(0, 0, 0, 0, 0));
    }
}
