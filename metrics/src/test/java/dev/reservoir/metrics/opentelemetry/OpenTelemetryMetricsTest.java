package dev.reservoir.metrics.opentelemetry;

import static io.opentelemetry.sdk.testing.assertj.OpenTelemetryAssertions.assertThat;

import dev.reservoir.core.metrics.MetricFamily;
import dev.reservoir.core.metrics.MetricSample;
import dev.reservoir.core.metrics.MetricSource;
import dev.reservoir.core.metrics.MetricType;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The instruments show what the source says. */
class OpenTelemetryMetricsTest {
    private final InMemoryMetricReader reader = InMemoryMetricReader.create();
    private final OpenTelemetrySdk telemetry = OpenTelemetrySdk.builder()
            .setMeterProvider(
                    SdkMeterProvider.builder().registerMetricReader(reader).build())
            .build();

    @AfterEach
    void end() {
        telemetry.close();
    }

    private static MetricSource source(String name, MetricType type, MetricSample sample) {
        return () -> List.of(new MetricFamily(name, type, "Help.", List.of(sample)));
    }

    private MetricData collected(String name) {
        return reader.collectAllMetrics().stream()
                .filter(metric -> metric.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aGaugeHasANamespaceAndAttributes() {
        MetricSource source =
                source("pool_in_use", MetricType.GAUGE, new MetricSample.Value(Map.of("pool", "orders"), 3));
        try (OpenTelemetryMetrics bound = OpenTelemetryMetrics.bind(telemetry, source)) {
            assertThat(bound).isNotNull();
            assertThat(collected("pool.in_use"))
                    .hasDescription("Help.")
                    .hasDoubleGaugeSatisfying(gauge -> gauge.hasPointsSatisfying(
                            point -> point.hasValue(3).hasAttributes(attributes("pool", "orders"))));
        }
        assertThat(reader.collectAllMetrics()).isEmpty();
    }

    @Test
    void aCounterIsCumulativeAndWithoutItsSuffix() {
        MetricSource source = source("pool_opens_total", MetricType.COUNTER, new MetricSample.Value(Map.of(), 7));
        try (OpenTelemetryMetrics bound = OpenTelemetryMetrics.bind(telemetry, source)) {
            assertThat(bound).isNotNull();
            assertThat(collected("pool.opens"))
                    .hasDoubleSumSatisfying(
                            sum -> sum.isMonotonic().isCumulative().hasPointsSatisfying(point -> point.hasValue(7)));
        }
    }

    @Test
    void aHistogramHasACountASumAndBuckets() {
        MetricSource source = source(
                "pool_wait_milliseconds",
                MetricType.HISTOGRAM,
                new MetricSample.Histogram(Map.of(), 5, 20, new TreeMap<>(Map.of(1.0, 2L))));
        try (OpenTelemetryMetrics bound = OpenTelemetryMetrics.bind(telemetry, source)) {
            assertThat(bound).isNotNull();
            assertThat(collected("pool.wait_milliseconds.count"))
                    .hasDoubleSumSatisfying(sum -> sum.hasPointsSatisfying(point -> point.hasValue(5)));
            assertThat(collected("pool.wait_milliseconds.sum"))
                    .hasDoubleSumSatisfying(sum -> sum.hasPointsSatisfying(point -> point.hasValue(20)));
            assertThat(collected("pool.wait_milliseconds.bucket"))
                    .hasDoubleSumSatisfying(sum -> sum.hasPointsSatisfying(
                            point -> point.hasValue(2).hasAttributes(attributes("le", "1.0")),
                            point -> point.hasValue(5).hasAttributes(attributes("le", "+Inf"))));
        }
    }

    @Test
    void aSummaryOfNothingHasNoQuantiles() {
        MetricSource source = source(
                "pool_time_seconds",
                MetricType.SUMMARY,
                new MetricSample.Summary(Map.of(), 0, 0, new TreeMap<>(Map.of(0.5, 0.0))));
        try (OpenTelemetryMetrics bound = OpenTelemetryMetrics.bind(telemetry, source)) {
            assertThat(bound).isNotNull();
            assertThat(reader.collectAllMetrics())
                    .extracting(MetricData::getName)
                    .containsExactlyInAnyOrder("pool.time_seconds.count", "pool.time_seconds.sum");
        }
    }

    private static Attributes attributes(String key, String value) {
        return Attributes.builder().put(key, value).build();
    }
}
