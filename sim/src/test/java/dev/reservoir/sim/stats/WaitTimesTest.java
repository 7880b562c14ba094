package dev.reservoir.sim.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.reservoir.sim.result.Outcome.Waits;
import org.junit.jupiter.api.Test;

class WaitTimesTest {
    private static final long MILLI = 1_000_000L;

    @Test
    void percentilesAreThoseOfAllCheckouts() {
        WaitTimes waitTimes = new WaitTimes();
        for (int i = 0; i < 900; i++) {
            waitTimes.none();
        }
        for (int i = 1; i <= 100; i++) {
            waitTimes.add(i * MILLI);
        }
        Waits waits = waitTimes.summary();
        assertThat(waits.count()).isEqualTo(1_000);
        assertThat(waits.p50Nanos()).isZero();
        assertThat(waitTimes.percentile(90)).isZero();
        assertThat((double) waitTimes.percentile(95) / MILLI).isCloseTo(50, within(0.05));
        assertThat((double) waits.p99Nanos() / MILLI).isCloseTo(90, within(0.1));
        assertThat((double) waits.p999Nanos() / MILLI).isCloseTo(99, within(0.1));
        assertThat(waits.maxNanos()).isEqualTo(100 * MILLI);
    }

    @Test
    void noNumberIsLargerThanTheWaitItStandsFor() {
        for (long wait :
                new long[] {1, 999, 1_000_001, 249_999_999, 250_000_000, 5_000_000_000L, 86_400_000_000_000L}) {
            WaitTimes waitTimes = new WaitTimes();
            waitTimes.add(wait);
            assertThat(waitTimes.percentile(99.9)).isBetween(wait - wait / 1_000, wait);
            assertThat(waitTimes.summary().maxNanos()).isEqualTo(wait);
        }
    }

    @Test
    void afterAResetNothingIsLeft() {
        WaitTimes waitTimes = new WaitTimes();
        waitTimes.none();
        waitTimes.add(MILLI);
        waitTimes.reset();
        assertThat(waitTimes.summary()).isEqualTo(new Waits(0, 0, 0, 0, 0));
    }
}
