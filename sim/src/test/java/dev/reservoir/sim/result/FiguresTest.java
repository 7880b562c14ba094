package dev.reservoir.sim.result;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** An outcome in a few numbers. */
class FiguresTest {
    @Test
    void numbersHaveNoNeedlessDigits() {
        assertThat(Figures.fixed(2.0 / 3, 3).toPlainString()).isEqualTo("0.667");
        assertThat(Figures.fixed(900, 3).toPlainString()).isEqualTo("900");
        assertThat(Figures.fixed(0, 3).toPlainString()).isEqualTo("0");
    }
}
