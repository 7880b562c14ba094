package dev.reservoir.core.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.Counts;
import dev.reservoir.core.Durations;
import dev.reservoir.core.Stats;
import dev.reservoir.core.Targets;
import dev.reservoir.core.util.Histogram;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the metrics of a reservoir say. */
class ReservoirMetricsTest {
    private static final long FAST_NANOS = 500;
    private static final long SLOW_NANOS = 2_000_000;

    private static Stats stats(Durations checkoutTime) {
        Counts counts = new Counts(Targets.of(1), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, false);
        Durations none = new Histogram().snapshot();
        return new Stats(counts, 0, 0, 0, 0, 0, Map.of(), Map.of(), false, 0, checkoutTime, none, none, none);
    }

    private static MetricSample.Histogram checkouts(List<MetricFamily> families) {
        MetricFamily found = families.stream()
                .filter(family -> family.name().equals("pool_checkout_latency_milliseconds"))
                .findFirst()
                .orElseThrow();
        return (MetricSample.Histogram) found.samples().get(0);
    }

    @Test
    void aBucketThatIsExtrapolatedNeverFalls() {
        ReservoirMetrics metrics = new ReservoirMetrics("pool");
        Histogram sample = new Histogram();
        sample.record(FAST_NANOS);
        sample.record(FAST_NANOS);
        Durations before = new Histogram().snapshot(sample, 64);
        sample.record(SLOW_NANOS);
        Durations after = new Histogram().snapshot(sample, 65);
        // The sample alone says that fewer checkouts than before were fast.
        assertThat(after.atMost().get(0)).isLessThan(before.atMost().get(0));

        assertThat(checkouts(metrics.read(Map.of(), stats(before))).atMost().get(0.001))
                .isEqualTo(64);
        MetricSample.Histogram later = checkouts(metrics.read(Map.of("pool", "a"), stats(after)));
        assertThat(later.atMost().get(0.001)).isEqualTo(64);
        assertThat(List.copyOf(later.atMost().values())).isSorted();
        assertThat(later.count()).isEqualTo(65);
        assertThat(later.labels()).isEqualTo(Map.of("pool", "a"));
    }

    @Test
    void aReservoirThatDoesNotRunHasEveryMetricAndNoValue() {
        assertThat(new ReservoirMetrics("pool").read(Map.of(), null))
                .hasSize(ReservoirMetric.values().length)
                .allSatisfy(family -> assertThat(family.samples()).isEmpty());
    }
}
