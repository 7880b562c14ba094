package dev.reservoir.metrics.prometheus;

import dev.reservoir.core.metrics.MetricFamily;
import dev.reservoir.core.metrics.MetricSample;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.Quantiles;
import io.prometheus.metrics.model.snapshots.SummarySnapshot;
import io.prometheus.metrics.model.snapshots.SummarySnapshot.SummaryDataPointSnapshot;
import java.util.List;
import java.util.Map;

/** Turns metrics into those of the client library. Leaves out metrics without a value. */
final class Snapshots {
    private static final String COUNTER_SUFFIX = "_total";

    private Snapshots() {}

    static MetricSnapshots of(List<MetricFamily> families) {
        return new MetricSnapshots(families.stream()
                .filter(family -> !family.samples().isEmpty())
                .map(Snapshots::of)
                .toArray(MetricSnapshot[]::new));
    }

    private static MetricSnapshot of(MetricFamily family) {
        return switch (family.type()) {
            case COUNTER -> counter(family);
            case GAUGE -> gauge(family);
            case SUMMARY -> summary(family);
            case HISTOGRAM -> histogram(family);
        };
    }

    private static MetricSnapshot counter(MetricFamily family) {
        // The library adds the suffix itself.
        String base = family.name().substring(0, family.name().length() - COUNTER_SUFFIX.length());
        CounterSnapshot.Builder counter = CounterSnapshot.builder().name(base).help(family.help());
        for (MetricSample sample : family.samples()) {
            counter.dataPoint(new CounterDataPointSnapshot(value(sample), labels(sample), null, 0));
        }
        return counter.build();
    }

    private static MetricSnapshot gauge(MetricFamily family) {
        GaugeSnapshot.Builder gauge =
                GaugeSnapshot.builder().name(family.name()).help(family.help());
        for (MetricSample sample : family.samples()) {
            gauge.dataPoint(new GaugeDataPointSnapshot(value(sample), labels(sample), null));
        }
        return gauge.build();
    }

    private static MetricSnapshot summary(MetricFamily family) {
        SummarySnapshot.Builder summary =
                SummarySnapshot.builder().name(family.name()).help(family.help());
        for (MetricSample sample : family.samples()) {
            MetricSample.Summary values = (MetricSample.Summary) sample;
            Quantiles.Builder quantiles = Quantiles.builder();
            for (Map.Entry<Double, Double> quantile : values.quantiles().entrySet()) {
                // A quantile of nothing is no number.
                quantiles.quantile(quantile.getKey(), values.count() == 0 ? Double.NaN : quantile.getValue());
            }
            summary.dataPoint(new SummaryDataPointSnapshot(
                    values.count(), values.sum(), quantiles.build(), labels(sample), null, 0));
        }
        return summary.build();
    }

    private static MetricSnapshot histogram(MetricFamily family) {
        HistogramSnapshot.Builder histogram =
                HistogramSnapshot.builder().name(family.name()).help(family.help());
        for (MetricSample sample : family.samples()) {
            MetricSample.Histogram values = (MetricSample.Histogram) sample;
            // The library wants the number of each bucket alone, and a last bucket without a bound.
            ClassicHistogramBuckets.Builder buckets = ClassicHistogramBuckets.builder();
            long below = 0;
            for (Map.Entry<Double, Long> bound : values.atMost().entrySet()) {
                buckets.bucket(bound.getKey(), bound.getValue() - below);
                below = bound.getValue();
            }
            buckets.bucket(Double.POSITIVE_INFINITY, values.count() - below);
            histogram.dataPoint(HistogramDataPointSnapshot.builder()
                    .classicHistogramBuckets(buckets.build())
                    .sum(values.sum())
                    .labels(labels(sample))
                    .build());
        }
        return histogram.build();
    }

    private static double value(MetricSample sample) {
        return ((MetricSample.Value) sample).value();
    }

    private static Labels labels(MetricSample sample) {
        Labels.Builder labels = Labels.builder();
        sample.labels().forEach(labels::label);
        return labels.build();
    }
}
