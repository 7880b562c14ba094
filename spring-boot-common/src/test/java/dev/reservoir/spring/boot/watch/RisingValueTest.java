package dev.reservoir.spring.boot.watch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What a monitoring system reads as a counter never falls. */
class RisingValueTest {
    @Test
    void aLowerValueDoesNotShow() {
        RisingValue sum = new RisingValue();
        assertThat(sum.atLeast(0)).isZero();
        assertThat(sum.atLeast(640)).isEqualTo(640);
        assertThat(sum.atLeast(600)).isEqualTo(640);
        assertThat(sum.atLeast(641)).isEqualTo(641);
    }
}
