package dev.reservoir.metrics.prometheus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.core.metrics.MetricFamily;
import dev.reservoir.core.metrics.MetricSample;
import dev.reservoir.core.metrics.MetricSource;
import dev.reservoir.core.metrics.MetricType;
import java.net.BindException;
import java.net.ConnectException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** An endpoint shows what its source has, in Prometheus's text format. */
class PrometheusEndpointTest {
    private static MetricSource of(MetricFamily... families) {
        return () -> List.of(families);
    }

    private static MetricFamily gauge(String name, double value) {
        return new MetricFamily(
                name, MetricType.GAUGE, "A gauge.", List.of(new MetricSample.Value(Map.of("a", "b\"c"), value)));
    }

    private static MetricFamily counter(String name) {
        return new MetricFamily(name, MetricType.COUNTER, "A counter.", List.of(new MetricSample.Value(Map.of(), 3)));
    }

    private static MetricFamily summary(long count) {
        return new MetricFamily(
                "time_seconds",
                MetricType.SUMMARY,
                "A summary.",
                List.of(new MetricSample.Summary(Map.of("a", "b"), count, 1.5, new TreeMap<>(Map.of(0.5, 0.25)))));
    }

    @Test
    void itShowsEveryTypeUnderItsOwnName() throws Exception {
        MetricSource source = MetricSource.all(
                of(gauge("size", 2), gauge("odd_gauge_total", 5)), of(counter("events_total"), summary(4)));
        try (PrometheusEndpoint endpoint = PrometheusEndpoint.start(source, 0)) {
            assertThat(endpoint.address().getAddress().isLoopbackAddress()).isTrue();
            assertThat(Scrape.text(endpoint).lines())
                    .contains(
                            "# TYPE size gauge",
                            "# HELP size A gauge.",
                            "size{a=\"b\\\"c\"} 2.0",
                            "# TYPE odd_gauge_total gauge",
                            "odd_gauge_total{a=\"b\\\"c\"} 5.0",
                            "# TYPE events_total counter",
                            "events_total 3.0",
                            "# TYPE time_seconds summary",
                            "time_seconds{a=\"b\",quantile=\"0.5\"} 0.25",
                            "time_seconds_count{a=\"b\"} 4",
                            "time_seconds_sum{a=\"b\"} 1.5");
        }
    }

    @Test
    void aHistogramHasItsBucketsOneForTheRestAndItsSum() throws Exception {
        MetricFamily histogram = new MetricFamily(
                "time_seconds",
                MetricType.HISTOGRAM,
                "A histogram.",
                List.of(new MetricSample.Histogram(Map.of("a", "b"), 5, 1.5, new TreeMap<>(Map.of(0.1, 2L, 0.5, 4L)))));
        try (PrometheusEndpoint endpoint = PrometheusEndpoint.start(of(histogram), 0)) {
            assertThat(Scrape.text(endpoint).lines())
                    .contains(
                            "# TYPE time_seconds histogram",
                            "time_seconds_bucket{a=\"b\",le=\"0.1\"} 2",
                            "time_seconds_bucket{a=\"b\",le=\"0.5\"} 4",
                            "time_seconds_bucket{a=\"b\",le=\"+Inf\"} 5",
                            "time_seconds_count{a=\"b\"} 5",
                            "time_seconds_sum{a=\"b\"} 1.5");
        }
    }

    @Test
    void aQuantileOfNothingIsNoNumberAndAMetricWithoutValuesIsLeftOut() throws Exception {
        MetricFamily empty = new MetricFamily("nothing", MetricType.GAUGE, "Nothing.", List.of());
        try (PrometheusEndpoint endpoint = PrometheusEndpoint.start(of(summary(0), empty), 0)) {
            assertThat(Scrape.text(endpoint))
                    .contains("time_seconds{a=\"b\",quantile=\"0.5\"} NaN")
                    .doesNotContain("nothing");
        }
    }

    @Test
    void eachScrapeReadsTheSource() throws Exception {
        double[] value = {0};
        try (PrometheusEndpoint endpoint = PrometheusEndpoint.start(() -> List.of(gauge("size", value[0]++)), 0)) {
            assertThat(Scrape.text(endpoint)).contains("} 0.0");
            assertThat(Scrape.text(endpoint)).contains("} 1.0");
        }
    }

    @Test
    void aPortInUseIsRefusedAndAClosedEndpointFreesIt() throws Exception {
        MetricSource source = of(counter("events_total"));
        PrometheusEndpoint first = PrometheusEndpoint.start(source, 0);
        assertThatThrownBy(() -> PrometheusEndpoint.start(source, first.port())).isInstanceOf(BindException.class);
        first.close();
        assertThatThrownBy(() -> Scrape.text(first)).isInstanceOf(ConnectException.class);
        PrometheusEndpoint.start(source, first.port()).close();
    }

    @Test
    void aFamilyRefusesWhatItCannotShow() {
        assertThatThrownBy(() -> counter("events"))
                .hasMessage("name is 'events'; allowed for a counter: a name that ends with _total");
        assertThatThrownBy(() -> gauge("Size", 1)).hasMessageStartingWith("name is 'Size'; allowed: lower-case");
        assertThatThrownBy(() -> new MetricFamily(
                        "size", MetricType.GAUGE, "A gauge.", summary(1).samples()))
                .hasMessage("a sample of size is a Summary; allowed: Value");
    }
}
