package dev.reservoir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Spans of time in words. */
class AgoTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0 s",
        "999, 0 s",
        "41000, 41 s",
        "119999, 119 s",
        "120000, 2 min",
        "3599999, 59 min",
        "3600000, 1 h",
        "7500000, 2 h 5 min",
        "172799999, 47 h 59 min",
        "172800000, 2 days"
    })
    void aSpanHasOneOrTwoUnits(long millis, String words) {
        assertThat(Ago.span(millis)).isEqualTo(words);
    }

    @Test
    void whatIsNotKnownIsNotSaid() {
        assertThat(Ago.since(0, 5_000)).isEmpty();
        assertThat(Ago.since(5_000, 0)).isEmpty();
    }

    @Test
    void clocksThatDisagreeALittleAreNoSurprise() {
        assertThat(Ago.since(6_500, 5_000)).isEqualTo("0 s ago");
        assertThat(Ago.since(65_000, 5_000)).isEqualTo("in 60 s");
    }
}
