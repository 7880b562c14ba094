package dev.reservoir.remote.health;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** When a server counts as healthy. On given time, without a server. */
class HealthStateTest {
    private static final long PAUSE = 30;
    private final HealthState state = new HealthState(0, 3, 2, PAUSE);

    @Test
    void oneFailureDoesNotMakeAServerUnhealthy() {
        assertThat(state.failed(1, "no")).isFalse();
        assertThat(state.failed(2, "no")).isFalse();
        assertThat(state.isHealthy()).isTrue();
        assertThat(state.failed(3, "gone")).isTrue();
        assertThat(state.isHealthy()).isFalse();
        assertThat(state.snapshot(10).reason()).isEqualTo("gone");
        assertThat(state.snapshot(10).sinceNanos()).isEqualTo(7);
    }

    @Test
    void onlyFailuresInARowCount() {
        for (int i = 0; i < 10; i++) {
            assertThat(state.failed(i, "no")).isFalse();
            assertThat(state.failed(i, "no")).isFalse();
            assertThat(state.succeeded(i)).isFalse();
        }
        assertThat(state.isHealthy()).isTrue();
        assertThat(state.snapshot(10).failedChecks()).isEqualTo(20);
        assertThat(state.snapshot(10).checks()).isEqualTo(10);
    }

    @Test
    void itRecoversAfterSuccessesInARow() {
        state.markUnhealthy(1, "by hand");
        assertThat(state.succeeded(2)).isFalse();
        state.failed(3, "no");
        assertThat(state.succeeded(4)).isFalse();
        assertThat(state.isHealthy()).isFalse();
        assertThat(state.succeeded(5)).isTrue();
        assertThat(state.isHealthy()).isTrue();
        assertThat(state.snapshot(6).reason()).isNull();
    }

    @Test
    void anUnhealthyServerLetsOneProbePassInEachPause() {
        assertThat(state.tryProbe(0)).as("a healthy server needs none").isFalse();
        state.markUnhealthy(100, "gone");
        assertThat(state.tryProbe(100)).isFalse();
        assertThat(state.tryProbe(100 + PAUSE)).isTrue();
        assertThat(state.tryProbe(100 + PAUSE)).as("one at a time").isFalse();
        state.probeEnded(false);
        assertThat(state.tryProbe(100 + 2 * PAUSE - 1)).isFalse();
        assertThat(state.snapshot(100 + 2 * PAUSE - 1).nextProbeNanos()).isEqualTo(1);
        assertThat(state.tryProbe(100 + 2 * PAUSE)).isTrue();
    }

    @Test
    void aGoodProbeLetsTheNextOnePassAtOnceSoThatItRecovers() {
        state.markUnhealthy(100, "gone");
        assertThat(state.tryProbe(100 + PAUSE)).isTrue();
        state.probeEnded(true);
        assertThat(state.succeeded(101 + PAUSE)).isFalse();
        assertThat(state.tryProbe(101 + PAUSE)).isTrue();
        state.probeEnded(true);
        assertThat(state.succeeded(102 + PAUSE)).isTrue();
    }

    @Test
    void aProbeThatNeverEndsDoesNotStopTheNextOne() {
        state.markUnhealthy(0, "gone");
        assertThat(state.tryProbe(PAUSE)).isTrue();
        assertThat(state.tryProbe(2 * PAUSE)).isTrue();
    }

    @Test
    void aMarkTellsWhetherItChangedAnything() {
        assertThat(state.markHealthy(1)).isFalse();
        assertThat(state.markUnhealthy(2, "a")).isTrue();
        assertThat(state.markUnhealthy(3, "b")).isFalse();
        assertThat(state.snapshot(3).reason()).isEqualTo("b");
        assertThat(state.markHealthy(4)).isTrue();
    }

    @Test
    void otherThresholdsApplyToTheNextCheck() {
        state.failed(1, "no");
        state.configure(2, 1, PAUSE);
        assertThat(state.failed(2, "no")).isTrue();
        assertThat(state.succeeded(3)).isTrue();
    }
}
