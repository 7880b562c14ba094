package dev.reservoir.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class LatencyHistogramTest {

    private final LatencyHistogram histogram = new LatencyHistogram();

    @Test
    void quantilesAreWithinLessThanAHundredthOfTheTruth() {
        for (long nanos = 1; nanos <= 1_000_000; nanos++) {
            histogram.record(nanos);
        }
        assertThat(histogram.count()).isEqualTo(1_000_000);
        for (double share : new double[] {0.001, 0.01, 0.5, 0.99, 0.999}) {
            assertThat(histogram.quantileNanos(share))
                    .isGreaterThanOrEqualTo((long) (share * 1_000_000))
                    .isCloseTo((long) (share * 1_000_000), Percentage.withPercentage(100 / 128.0));
        }
    }

    @Test
    void theLongestIsExact() {
        histogram.record(123_456_789_012L);
        histogram.record(5);
        assertThat(histogram.longestNanos()).isEqualTo(123_456_789_012L);
        assertThat(histogram.quantileNanos(1)).isEqualTo(123_456_789_012L);
    }

    @Test
    void whatAnotherHasCountedIsTakenOver() {
        LatencyHistogram other = new LatencyHistogram();
        other.record(7);
        other.record(1_000);
        histogram.record(100);
        histogram.add(other);
        assertThat(histogram.count()).isEqualTo(3);
        assertThat(histogram.quantileNanos(0.5)).isEqualTo(100);
        assertThat(histogram.longestNanos()).isEqualTo(1_000);
    }

    @Test
    void takesEveryLong() {
        histogram.record(Long.MAX_VALUE);
        histogram.record(0);
        histogram.record(-1);
        assertThat(histogram.count()).isEqualTo(3);
        assertThat(histogram.quantileNanos(0.5)).isZero();
        assertThat(histogram.quantileNanos(1)).isCloseTo(Long.MAX_VALUE, within(0L));
    }

    @Test
    void anEmptyOneSaysZero() {
        assertThat(histogram.quantileNanos(0.999)).isZero();
        assertThat(histogram.longestNanos()).isZero();
    }
}
