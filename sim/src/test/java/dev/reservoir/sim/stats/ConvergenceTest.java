package dev.reservoir.sim.stats;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ConvergenceTest {
    private final Convergence two = new Convergence(2, 5);

    @Test
    void isReachedWhenTheLastHasItsTarget() {
        two.changed(true, 1);
        assertThat(two.atNanos(100)).isEqualTo(-1);
        two.changed(true, 10);
        assertThat(two.atNanos(14)).isEqualTo(-1);
        assertThat(two.atNanos(15)).isEqualTo(10);
    }

    @Test
    void countsAnewAfterABreak() {
        two.changed(true, 1);
        two.changed(true, 10);
        two.changed(false, 14);
        two.changed(true, 15);
        assertThat(two.atNanos(19)).isEqualTo(-1);
        assertThat(two.atNanos(30)).isEqualTo(15);
    }

    @Test
    void staysWhatItWasWhateverComesAfter() {
        two.changed(true, 1);
        two.changed(true, 10);
        // Nothing asked in between, and the targets were kept for long enough.
        two.changed(false, 20);
        two.changed(true, 25);
        assertThat(two.atNanos(100)).isEqualTo(10);
    }
}
