package dev.reservoir.core.util;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DoublingPauseTest {

    @ParameterizedTest
    @CsvSource({"0, 100", "1, 200", "5, 3200", "6, 5000", "62, 5000", "1000000, 5000"})
    void doublesUpToItsBoundHoweverManyFailures(int before, long nanos) {
        assertThat(DoublingPause.nanos(before, 100, 5_000)).isEqualTo(nanos);
    }

    @Test
    void jitterIsOverTheUpperHalf() {
        SplittableRandom random = new SplittableRandom(1);
        long least = Long.MAX_VALUE;
        long most = 0;
        for (int i = 0; i < 10_000; i++) {
            long nanos = DoublingPause.jittered(2, 1_000_000, 5_000_000, random);
            least = Math.min(least, nanos);
            most = Math.max(most, nanos);
        }
        assertThat(least).isBetween(2_000_000L, 2_010_000L);
        assertThat(most).isBetween(3_990_000L, 4_000_000L);
    }
}
