package dev.reservoir.sim.stats;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.sim.result.Outcome.Second;
import org.junit.jupiter.api.Test;

class ConnectsPerSecondTest {
    private static final long SECOND = 1_000_000_000L;

    @Test
    void countsByWholeSeconds() {
        ConnectsPerSecond seconds = new ConnectsPerSecond();
        seconds.connect(0);
        seconds.connect(SECOND - 1);
        seconds.opened(SECOND - 1);
        seconds.connect(SECOND);
        seconds.refusedByRate(SECOND);
        seconds.refusedByCap(SECOND + 1);
        seconds.opened(SECOND + 2);
        seconds.closed(SECOND + 3);
        seconds.closed(3 * SECOND);
        assertThat(seconds.upTo(4 * SECOND))
                .containsExactly(
                        new Second(2, 0, 0, 0, 1),
                        new Second(1, 1, 1, 1, 2),
                        new Second(0, 0, 0, 0, 1),
                        new Second(0, 0, 0, 1, 1));
        assertThat(seconds.open()).isZero();
    }

    @Test
    void theLastSecondMayBeShort() {
        ConnectsPerSecond seconds = new ConnectsPerSecond();
        seconds.connect(SECOND + SECOND / 2);
        assertThat(seconds.upTo(SECOND + SECOND / 2)).hasSize(2);
        assertThat(new ConnectsPerSecond().upTo(SECOND)).hasSize(1);
    }
}
