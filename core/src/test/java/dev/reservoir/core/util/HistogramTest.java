package dev.reservoir.core.util;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.Durations;
import dev.reservoir.core.kit.Threads;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Percentiles are never too low and at most an eighth too high. */
class HistogramTest {

    @Test
    void everyDurationFallsIntoABucketThatHoldsIt() {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 200_000; i++) {
            long value = random.nextLong() >>> (1 + random.nextInt(63));
            int bucket = Histogram.bucket(value);
            assertThat(Histogram.upper(bucket)).isGreaterThanOrEqualTo(value);
            assertThat(Histogram.upper(bucket) - value).isLessThanOrEqualTo(value / 8);
            if (bucket > 0) {
                assertThat(Histogram.upper(bucket - 1)).isLessThan(value);
            }
        }
        Histogram histogram = new Histogram();
        histogram.record(Long.MAX_VALUE);
        histogram.record(-5);
        assertThat(histogram.snapshot().maxNanos()).isEqualTo(Long.MAX_VALUE);
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
        assertThat(new Histogram().snapshot()).isEqualTo(new Durations(0, 0, 0, 0, 0, 0));
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
}
