package dev.reservoir.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Spans of time in words. */
class TimeAgoTest {
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
        assertThat(TimeAgo.span(millis)).isEqualTo(words);
    }

    @Test
    void whatIsNotKnownIsNotSaid() {
        assertThat(TimeAgo.since(0, 5_000)).isEmpty();
        assertThat(TimeAgo.since(5_000, 0)).isEmpty();
    }

    @Test
    void clocksThatDisagreeALittleAreNoSurprise() {
        assertThat(TimeAgo.since(6_500, 5_000)).isEqualTo("0 s ago");
        assertThat(TimeAgo.since(65_000, 5_000)).isEqualTo("in 60 s");
    }
}
