package dev.reservoir.core.util;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.core.Durations;
import dev.reservoir.core.kit.Threads;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Percentiles are never too low and at most an eighth too high. */
class HistogramTest {
    private static final List<Integer> BITS = List.of(0, 3, 7, 10);
    private static final List<Histogram> HISTOGRAMS =
            BITS.stream().map(Histogram::new).toList();

    @Test
    void everyDurationFallsIntoABucketThatHoldsIt() {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 200_000; i++) {
            long value = random.nextLong() >>> (1 + random.nextInt(63));
            Histogram histogram = HISTOGRAMS.get(random.nextInt(HISTOGRAMS.size()));
            int bucket = histogram.bucket(value);
            assertThat(histogram.upper(bucket)).isGreaterThanOrEqualTo(value);
            assertThat(histogram.upper(bucket) - value)
                    .isLessThanOrEqualTo(value >> BITS.get(HISTOGRAMS.indexOf(histogram)));
            if (bucket > 0) {
                assertThat(histogram.upper(bucket - 1)).isLessThan(value);
            }
        }
        Histogram histogram = new Histogram();
        histogram.record(Long.MAX_VALUE);
        histogram.record(-5);
        assertThat(histogram.snapshot().maxNanos()).isEqualTo(Long.MAX_VALUE);
        assertThat(histogram.quantileNanos(0.5)).isZero();
    }

    @Test
    void percentilesAreAtMostAnEighthTooHigh() {
        for (int seed = 0; seed < 300; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            long[] values = random.longs(1 + random.nextInt(3_000), 0, 1L << (1 + random.nextInt(50)))
                    .toArray();
            Histogram histogram = new Histogram();
            Arrays.stream(values).forEach(histogram::record);
            Arrays.sort(values);
            Durations got = histogram.snapshot();
            assertThat(got.count()).isEqualTo(values.length);
            assertThat(got.maxNanos()).isEqualTo(values[values.length - 1]);
            assertThat(got.sumNanos()).isEqualTo(Arrays.stream(values).sum());
            near(got.p50Nanos(), exact(values, 0.5), seed);
            near(got.p99Nanos(), exact(values, 0.99), seed);
            near(got.p999Nanos(), exact(values, 0.999), seed);
            assertThat(histogram.quantileNanos(0.99)).isEqualTo(got.p99Nanos());
            assertThat(histogram.count()).isEqualTo(values.length);
        }
    }

    private static long exact(long[] sorted, double share) {
        return sorted[(int) Math.ceil(sorted.length * share) - 1];
    }

    private static void near(long got, long exact, int seed) {
        assertThat(got).as("seed %d", seed).isBetween(exact, exact + exact / 8);
    }

    @Test
    void aSampleStandsForAllThatItWasTakenFrom() {
        Histogram waits = new Histogram();
        waits.record(1_000);
        Histogram ready = new Histogram();
        ready.record(2);
        ready.record(3);
        Durations got = waits.snapshot(ready, 99);
        assertThat(got)
                .extracting(Durations::count, Durations::p50Nanos, Durations::p99Nanos)
                .containsExactly(100L, 2L, 3L);
        assertThat(got.p999Nanos()).isEqualTo(1_000);
        assertThat(got.sumNanos()).isEqualTo(1_000 + (long) (5 * 99 / 2.0));
    }

    @Test
    void withoutASampleDurationsCountAsZero() {
        Histogram waits = new Histogram();
        waits.record(1_000);
        Durations got = waits.snapshot(new Histogram(), 99);
        assertThat(got)
                .extracting(Durations::count, Durations::p50Nanos, Durations::p99Nanos, Durations::p999Nanos)
                .containsExactly(100L, 0L, 0L, 1_000L);
    }

    @Test
    void anEmptyOneIsAllZeros() {
        assertThat(new Histogram().snapshot()).isEqualTo(new Durations(0, 0, 0, 0, 0, 0, Collections.nCopies(20, 0L)));
    }

    @Test
    void nothingIsLostWhenManyRecordAtOnce() throws Exception {
        Histogram histogram = new Histogram();
        Threads.run(4, thread -> {
            for (int i = 0; i < 50_000; i++) {
                histogram.record(i);
            }
        });
        Durations got = histogram.snapshot();
        assertThat(got.count()).isEqualTo(200_000);
        assertThat(got.sumNanos()).isEqualTo(4L * 49_999 * 50_000 / 2);
        assertThat(got.maxNanos()).isEqualTo(49_999);
    }

    @Test
    void moreBitsMakeQuantilesMoreExact() {
        Histogram histogram = new Histogram(7);
        for (long nanos = 1; nanos <= 1_000_000; nanos++) {
            histogram.record(nanos);
        }
        for (double share : new double[] {0.001, 0.01, 0.5, 0.99, 0.999}) {
            long exact = (long) (share * 1_000_000);
            assertThat(histogram.quantileNanos(share)).isBetween(exact, exact + exact / 128);
        }
        assertThat(histogram.quantileNanos(1)).isEqualTo(1_000_000);
    }

    @Test
    void whatAnotherHasRecordedCanBeAdded() {
        Histogram histogram = new Histogram();
        histogram.record(100);
        Histogram other = new Histogram();
        other.record(7);
        other.record(1_000);
        histogram.add(other);
        assertThat(histogram.count()).isEqualTo(3);
        assertThat(histogram.maxNanos()).isEqualTo(1_000);
        assertThat(histogram.snapshot().sumNanos()).isEqualTo(1_107);
        assertThatThrownBy(() -> histogram.add(new Histogram(7))).hasMessage("bits is 7; allowed: 3");
    }

    @Test
    void aShareOrANumberOfBitsThatMakesNoSenseIsRefused() {
        for (double share : new double[] {0, -1, 1.1, Double.NaN}) {
            assertThatThrownBy(() -> new Histogram().quantileNanos(share)).hasMessageContaining("share is " + share);
        }
        assertThatThrownBy(() -> new Histogram(11)).hasMessage("bits is 11; allowed: 0 to 10");
        assertThat(new Histogram().quantileNanos(1)).isZero();
    }

    @Test
    void aDurationCountsBelowEveryBoundThatItDoesNotExceed() {
        Histogram histogram = new Histogram();
        histogram.record(500);
        histogram.record(3_000_000);
        histogram.record(70_000_000_000L);

        List<Long> atMost = histogram.snapshot().atMost();
        assertThat(atMost).isSorted();
        assertThat(atMost.get(Durations.BOUNDS_NANOS.indexOf(1_000L))).isEqualTo(1);
        assertThat(atMost.get(Durations.BOUNDS_NANOS.indexOf(2_500_000L))).isEqualTo(1);
        assertThat(atMost.get(Durations.BOUNDS_NANOS.indexOf(5_000_000L))).isEqualTo(2);
        assertThat(atMost.get(Durations.BOUNDS_NANOS.indexOf(60_000_000_000L))).isEqualTo(2);
    }

    @Test
    void aDurationNearABoundNeverCountsBelowASmallerOne() {
        for (long bound : Durations.BOUNDS_NANOS) {
            Histogram histogram = new Histogram();
            histogram.record(bound + 1);
            int at = Durations.BOUNDS_NANOS.indexOf(bound);
            assertThat(histogram.snapshot().atMost().get(at))
                    .as("bound %s", bound)
                    .isZero();
        }
    }
}
