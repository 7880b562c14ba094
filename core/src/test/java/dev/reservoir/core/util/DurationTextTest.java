package dev.reservoir.core.util;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Durations in Go's format and in ISO-8601. */
class DurationTextTest {

    @ParameterizedTest
    @CsvSource({
        "11m, PT11M",
        "1h30m, PT1H30M",
        "250ms, PT0.25S",
        "45s, PT45S",
        "1.5s, PT1.5S",
        ".5s, PT0.5S",
        "1.s, PT1S",
        "100us, PT0.0001S",
        "100µs, PT0.0001S",
        "100μs, PT0.0001S",
        "5ns, PT0.000000005S",
        "0, PT0S",
        "0s, PT0S",
        "+2m, PT2M",
        "-2m, PT-2M",
        "-0, PT0S",
        "' 7s ', PT7S",
        "11m0s, PT11M",
        "1h2m3s4ms5us6ns, PT1H2M3.004005006S",
        "PT11M, PT11M",
        "pt45s, PT45S",
        "-PT1S, PT-1S",
        "PT-1S, PT-1S",
        "P1D, PT24H",
        "2562047h47m16.854775807s, PT2562047H47M16.854775807S"
    })
    void aDurationIsRead(String text, String iso) {
        assertThat(DurationText.parse("key", text)).isEqualTo(Duration.parse(iso));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "11",
                "m",
                "11 m",
                "11x",
                "1h 30m",
                "eleven",
                "1.2.3s",
                ".s",
                ".",
                "-",
                "--1s",
                "+-1s",
                "PT",
                "P11",
                "1d",
                "11m!",
                "2562048h",
                "P999999999D",
                "99999999999999999999999999999999999999999999999999999999h"
            })
    void whatIsNoDurationIsRefusedWithKeyValueAndWhatIsAllowed(String text) {
        assertThatThrownBy(() -> DurationText.parse("guardWindow", text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("guardWindow is \"" + text + "\"; allowed: a duration such as 11m, 1h30m, 45s, 1.5s, 250ms,"
                        + " 100us, 5ns or PT11M");
    }

    @ParameterizedTest
    @CsvSource({
        "PT11M, 11m0s",
        "PT1H30M, 1h30m0s",
        "PT1H, 1h0m0s",
        "PT45S, 45s",
        "PT12.3S, 12.3s",
        "PT0.25S, 250ms",
        "PT0.0015S, 1.5ms",
        "PT0.0001S, 100µs",
        "PT0.000000005S, 5ns",
        "PT0S, 0s",
        "PT100S, 1m40s",
        "PT-30S, -30s"
    })
    void aDurationIsWrittenAsGoDoes(String iso, String text) {
        assertThat(DurationText.format(Duration.parse(iso))).isEqualTo(text);
    }

    @Test
    void whatIsWrittenIsReadAsTheSame() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 10_000; i++) {
            long nanos = random.nextLong() >> random.nextInt(64);
            assertThat(DurationText.parse("key", DurationText.format(nanos)).toNanos())
                    .as("seed %d, %d ns", seed, nanos)
                    .isEqualTo(nanos == Long.MIN_VALUE ? -Long.MAX_VALUE : nanos);
        }
    }
}
