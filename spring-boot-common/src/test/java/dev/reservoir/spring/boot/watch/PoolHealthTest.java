package dev.reservoir.spring.boot.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.Counts;
import dev.reservoir.core.Durations;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.Stats;
import dev.reservoir.core.Targets;
import dev.reservoir.spring.boot.watch.PoolHealth.Status;
import java.util.Collections;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The health that follows from the numbers of a reservoir, of which one connect failed at some time. */
class PoolHealthTest {
    private static final Durations NONE = new Durations(0, 0, 0, 0, 0, 0, Collections.nCopies(20, 0L));

    @ParameterizedTest
    @CsvSource({
        "0, 2, false, UP", // just evicted
        "0, 2, true, DOWN",
        "0, 0, true, UP", // none is wanted
        "1, 2, true, UP"
    })
    void onlyAFailureSinceTheLastSuccessCounts(int ready, int targetReady, boolean connectsFail, Status status) {
        Counts counts = new Counts(new Targets(2, targetReady, 0, 0), ready, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, false);
        Stats stats = new Stats(
                counts,
                0,
                0,
                0,
                1,
                1,
                Map.of(),
                Map.of(OpenFailureReason.CONNECT, 1L),
                connectsFail,
                0,
                NONE,
                NONE,
                NONE,
                NONE);
        assertThat(PoolHealth.status(stats)).isEqualTo(status);
    }
}
