package dev.reservoir.sim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationTextTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "0s, 0",
        "1m30s, 90000000000",
        "250ms, 250000000",
        "1.5h, 5400000000000",
        ".5s, 500000000",
        "1.s, 1000000000",
        "+2us, 2000",
        "2µs, 2000",
        "2μs, 2000",
        "7ns, 7",
        "-3s, -3000000000",
        "PT1M30S, 90000000000",
        "P1D, 86400000000000",
        "2562047h, 9223369200000000000",
    })
    void whatGoAndIsoWriteIsRead(String text, long nanos) {
        assertThat(DurationText.parse(text)).isEqualTo(Duration.ofNanos(nanos));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "5", "s", "1x", "1 s", "1s ", "1.2.3s", "--1s", "P", "PT", "9999999h", "1e3s", "１s", "none"})
    void whatIsNoDurationIsNone(String text) {
        assertThat(DurationText.parse(text)).isNull();
        assertThat(DurationText.parse("1".repeat(100) + "s")).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0s",
        "1, 1ns",
        "1500, 1500ns",
        "2000, 2us",
        "250000000, 250ms",
        "1500000, 1500us",
        "1000000000, 1s",
        "1500000000, 1.5s",
        "60000000000, 1m",
        "90000000000, 1m30s",
        "100000000000, 1m40s",
        "3600000000000, 1h",
        "5400000000001, 1h30m0.000000001s",
    })
    void durationsAreWrittenWithTheFewestParts(long nanos, String text) {
        assertThat(DurationText.format(Duration.ofNanos(nanos))).isEqualTo(text);
    }

    @Test
    void whatIsWrittenIsReadBackTheSame() {
        SplittableRandom random = new SplittableRandom(7);
        for (int i = 0; i < 10_000; i++) {
            Duration duration = Duration.ofNanos(random.nextLong(Long.MAX_VALUE) >>> random.nextInt(63));
            assertThat(DurationText.parse(DurationText.format(duration))).isEqualTo(duration);
        }
    }
}
