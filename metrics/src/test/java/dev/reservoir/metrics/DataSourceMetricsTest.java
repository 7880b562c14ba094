package dev.reservoir.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.Durations;
import dev.reservoir.core.metrics.MetricFamily;
import dev.reservoir.core.metrics.MetricType;
import dev.reservoir.core.metrics.ReservoirMetric;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.metrics.micrometer.MicrometerMetrics;
import dev.reservoir.metrics.opentelemetry.ConnectionInstruments;
import dev.reservoir.metrics.opentelemetry.OpenTelemetryMetrics;
import dev.reservoir.postgres.local.LocalPostgres;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.data.LongPointData;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The metrics of a data source on a real PostgreSQL, as each library shows them. */
class DataSourceMetricsTest {
    private static LocalPostgres postgres;

    @BeforeAll
    static void start() throws Exception {
        postgres = LocalPostgres.start();
    }

    @AfterAll
    static void stop() throws Exception {
        postgres.close();
    }

    private static ReservoirDataSource dataSource() throws Exception {
        ReservoirDataSource orders = ReservoirDataSource.builder()
                .name("orders")
                .url(postgres.url())
                .maxOpen(2)
                .build();
        assertThat(orders.awaitReady(2, Duration.ofMinutes(1))).isTrue();
        return orders;
    }

    @Test
    void micrometerGivesPrometheusTheNamesOfTheTable() throws Exception {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        try (ReservoirDataSource orders = dataSource();
                Connection connection = orders.getConnection();
                MicrometerMetrics metrics = new MicrometerMetrics(orders.metrics())) {
            assertThat(connection.isValid(10)).isTrue();
            metrics.bindTo(registry);
            String page = registry.scrape();

            assertThat(page.lines())
                    .contains(
                            "# HELP reservoir_in_use Connections that callers hold.",
                            "reservoir_in_use{pool=\"orders\"} 1.0",
                            "reservoir_max_open{pool=\"orders\"} 2.0",
                            "reservoir_checkouts_total{pool=\"orders\"} 1.0",
                            "reservoir_refills_total{pool=\"orders\"} 2.0",
                            "reservoir_discards_total{pool=\"orders\",reason=\"idle\"} 0.0",
                            "reservoir_connect_seconds_count{pool=\"orders\"} 2",
                            "reservoir_connect_buckets_total{le=\"60.0\",pool=\"orders\"} 2.0",
                            "reservoir_connect_buckets_total{le=\"+Inf\",pool=\"orders\"} 2.0");
        } finally {
            registry.close();
        }
    }

    @Test
    void openTelemetryHasTheTableAndItsOwnConventions() throws Exception {
        InMemoryMetricReader reader = InMemoryMetricReader.create();
        try (OpenTelemetrySdk telemetry = OpenTelemetrySdk.builder()
                        .setMeterProvider(SdkMeterProvider.builder()
                                .registerMetricReader(reader)
                                .build())
                        .build();
                ReservoirDataSource orders = dataSource();
                Connection connection = orders.getConnection();
                OpenTelemetryMetrics all = OpenTelemetryMetrics.bind(telemetry, orders.metrics());
                ConnectionInstruments conventions =
                        ConnectionInstruments.bind(telemetry, "orders", () -> Optional.of(orders.stats()))) {
            assertThat(connection.isValid(10)).isTrue();
            assertThat(all).isNotNull();
            assertThat(conventions).isNotNull();
            Collection<MetricData> collected = reader.collectAllMetrics();

            assertThat(collected).extracting(MetricData::getName).contains("reservoir.in_use", "reservoir.checkouts");
            assertThat(longs(collected, "db.client.connection.count", "db.client.connection.state"))
                    .containsEntry("used", 1L)
                    .containsKey("idle");
            assertThat(longs(collected, "db.client.connection.max", "db.client.connection.pool.name"))
                    .isEqualTo(Map.of("orders", 2L));
        }
    }

    private static Map<String, Long> longs(Collection<MetricData> collected, String name, String attribute) {
        return collected.stream()
                .filter(metric -> metric.getName().equals(name))
                .flatMap(metric -> metric.getLongSumData().getPoints().stream())
                .collect(Collectors.toMap(
                        point -> String.valueOf(point.getAttributes()
                                .get(io.opentelemetry.api.common.AttributeKey.stringKey(attribute))),
                        LongPointData::getValue));
    }

    @Test
    void aDataSourceThatDoesNotRunHasNoValues() throws Exception {
        ReservoirDataSource orders = dataSource();
        orders.close();

        assertThat(orders.metrics().read())
                .hasSize(ReservoirMetric.values().length)
                .allSatisfy(family -> assertThat(family.samples()).isEmpty());
    }

    @Test
    void theTableHasAHistogramForEachKindOfTime() throws Exception {
        try (ReservoirDataSource orders = dataSource()) {
            assertThat(orders.metrics().read())
                    .filteredOn(family -> family.type() == MetricType.HISTOGRAM)
                    .extracting(MetricFamily::name)
                    .containsExactly(
                            "reservoir_checkout_latency_milliseconds",
                            "reservoir_wait_milliseconds",
                            "reservoir_use_milliseconds",
                            "reservoir_connect_milliseconds");
            assertThat(orders.stats().openTime().atMost())
                    .hasSameSizeAs(Durations.BOUNDS_NANOS)
                    .isSorted()
                    .last()
                    .isEqualTo(2L);
        }
    }
}
