package dev.reservoir.metrics.opentelemetry;

import dev.reservoir.core.metrics.MetricFamily;
import dev.reservoir.core.metrics.MetricSample;
import dev.reservoir.core.metrics.MetricSource;
import dev.reservoir.core.metrics.MetricType;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.metrics.BatchCallback;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.metrics.ObservableDoubleMeasurement;
import io.opentelemetry.api.metrics.ObservableMeasurement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Shows the metrics of a source as instruments of the scope {@value #SCOPE}. The first word of a name is its namespace:
 * {@code reservoir_in_use} is {@code reservoir.in_use}. A counter loses {@code _total}. An exporter for Prometheus
 * gives the first names back.
 *
 * <p>An instrument that is read, and not written, cannot be a histogram. So a histogram or summary is shown as two
 * counters, {@code .count} and {@code .sum}. A histogram also has the counter {@code .bucket} with the attribute
 * {@code le}: how many values were no larger. These can be added up over a fleet. A summary has a gauge with the
 * attribute {@code quantile}.
 *
 * <p>Each collection reads the source once. No method blocks longer than the source takes to read.
 */
public final class OpenTelemetryMetrics implements AutoCloseable {
    /** The name of the instrumentation scope. */
    public static final String SCOPE = "dev.reservoir";

    private static final String COUNTER_SUFFIX = "_total";

    private final MetricSource source;
    private final Map<String, ObservableDoubleMeasurement> instruments = new LinkedHashMap<>();
    private final @Nullable BatchCallback callback;

    private OpenTelemetryMetrics(OpenTelemetry telemetry, MetricSource source) {
        this.source = source;
        Meter meter = telemetry.getMeter(SCOPE);
        source.read().forEach(family -> declare(meter, family));
        List<ObservableDoubleMeasurement> all = List.copyOf(instruments.values());
        callback = all.isEmpty()
                ? null
                : meter.batchCallback(
                        this::observe, all.get(0), all.subList(1, all.size()).toArray(ObservableMeasurement[]::new));
    }

    /** Registers the instruments. They stay, and keep the source in memory, until {@link #close}. */
    public static OpenTelemetryMetrics bind(OpenTelemetry telemetry, MetricSource source) {
        return new OpenTelemetryMetrics(telemetry, source);
    }

    private void declare(Meter meter, MetricFamily family) {
        String name = name(family);
        switch (family.type()) {
            case GAUGE -> declareGauge(meter, name, family);
            case COUNTER -> declareCounter(meter, name, family);
            case SUMMARY -> {
                declareTotals(meter, name, family);
                declareGauge(meter, name + ".quantile", family);
            }
            case HISTOGRAM -> {
                declareTotals(meter, name, family);
                declareCounter(meter, name + ".bucket", family);
            }
        }
    }

    private void declareTotals(Meter meter, String name, MetricFamily family) {
        declareCounter(meter, name + ".count", family);
        declareCounter(meter, name + ".sum", family);
    }

    private void declareGauge(Meter meter, String name, MetricFamily family) {
        instruments.put(
                name, meter.gaugeBuilder(name).setDescription(family.help()).buildObserver());
    }

    private void declareCounter(Meter meter, String name, MetricFamily family) {
        instruments.put(
                name,
                meter.counterBuilder(name)
                        .ofDoubles()
                        .setDescription(family.help())
                        .buildObserver());
    }

    private static String name(MetricFamily family) {
        String name = family.name();
        if (family.type() == MetricType.COUNTER) {
            name = name.substring(0, name.length() - COUNTER_SUFFIX.length());
        }
        return name.replaceFirst("_", ".");
    }

    private void observe() {
        for (MetricFamily family : source.read()) {
            String name = name(family);
            family.samples().forEach(sample -> observe(name, sample));
        }
    }

    private void observe(String name, MetricSample sample) {
        Attributes attributes = attributes(sample.labels());
        if (sample instanceof MetricSample.Value one) {
            record(name, one.value(), attributes);
        } else if (sample instanceof MetricSample.Summary summary) {
            record(name + ".count", (double) summary.count(), attributes);
            record(name + ".sum", summary.sum(), attributes);
            if (summary.count() > 0) {
                summary.quantiles()
                        .forEach((share, value) ->
                                record(name + ".quantile", value, and(attributes, "quantile", share.toString())));
            }
        } else if (sample instanceof MetricSample.Histogram histogram) {
            record(name + ".count", (double) histogram.count(), attributes);
            record(name + ".sum", histogram.sum(), attributes);
            histogram
                    .atMost()
                    .forEach((bound, count) ->
                            record(name + ".bucket", count.doubleValue(), and(attributes, "le", bound.toString())));
            record(name + ".bucket", (double) histogram.count(), and(attributes, "le", "+Inf"));
        }
    }

    /** A metric that the source did not have when it was bound is not shown. */
    private void record(String name, double value, Attributes attributes) {
        ObservableDoubleMeasurement instrument = instruments.get(name);
        if (instrument != null) {
            instrument.record(value, attributes);
        }
    }

    private static Attributes attributes(Map<String, String> labels) {
        AttributesBuilder attributes = Attributes.builder();
        labels.forEach(attributes::put);
        return attributes.build();
    }

    private static Attributes and(Attributes attributes, String key, String value) {
        return attributes.toBuilder().put(key, value).build();
    }

    /** Ends the observation. The instruments show nothing more. */
    @Override
    public void close() {
        if (callback != null) {
            callback.close();
        }
    }
}
