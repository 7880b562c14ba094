package dev.reservoir.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class UnitTest {

    @Test
    void valuesAreWrittenWithThreeDigits() {
        assertThat(Unit.PER_SECOND.format(13_456_789)).isEqualTo("13.5 M/s");
        assertThat(Unit.PER_SECOND.format(147_321)).isEqualTo("147 k/s");
        assertThat(Unit.PER_SECOND.format(12.34)).isEqualTo("12.3 /s");
        assertThat(Unit.BYTES.format(56.0004)).isEqualTo("56.0 B");
        assertThat(Unit.NANOS.format(2.2e9)).isEqualTo("2.20 s");
        assertThat(Unit.NANOS.format(6.1e6)).isEqualTo("6.10 ms");
        assertThat(Unit.NANOS.format(740)).isEqualTo("0.74 us");
        assertThat(Unit.COUNT.format(6_107)).isEqualTo("6,107");
    }

    @Test
    void aTimeThatDidNotComeIsNever() {
        assertThat(Unit.NANOS.format(Double.POSITIVE_INFINITY)).isEqualTo("never");
    }
}
