package dev.reservoir.sim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NumbersTest {
    @Test
    void numbersHaveTheFewestDigits() {
        assertThat(Numbers.format(0)).isEqualTo("0");
        assertThat(Numbers.format(100)).isEqualTo("100");
        assertThat(Numbers.format(0.1)).isEqualTo("0.1");
        assertThat(Numbers.format(1e6)).isEqualTo("1000000");
        assertThat(Numbers.format(0.1 + 0.2)).isEqualTo("0.30000000000000004");
        assertThat(Numbers.format(2e-3)).isEqualTo("0.002");
        assertThat(Numbers.format(1.0 / 3)).isEqualTo("0.3333333333333333");
    }
}
