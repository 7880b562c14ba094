package dev.reservoir.metrics.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.core.metrics.MetricFamily;
import dev.reservoir.core.metrics.MetricSample;
import dev.reservoir.core.metrics.MetricType;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The meters show what the source says. */
class MicrometerMetricsTest {
    private final MockClock clock = new MockClock();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);
    private final List<MetricFamily> families = new ArrayList<>();
    private int reads;

    private final MicrometerMetrics metrics = new MicrometerMetrics(() -> {
        reads++;
        return List.copyOf(families);
    });

    private static MetricFamily family(String name, MetricType type, MetricSample... samples) {
        return new MetricFamily(name, type, "Help.", List.of(samples));
    }

    private static MetricSample value(double value, String... labels) {
        return new MetricSample.Value(labels.length == 0 ? Map.of() : Map.of(labels[0], labels[1]), value);
    }

    private void nextSecond() {
        clock.add(Duration.ofSeconds(1));
    }

    @Test
    void aGaugeAndACounterHaveDottedNamesAndLabels() {
        families.add(family("pool_in_use", MetricType.GAUGE, value(3, "pool", "orders")));
        families.add(family("pool_checkouts_total", MetricType.COUNTER, value(7)));
        metrics.bindTo(registry);

        assertThat(registry.get("pool.in.use").tag("pool", "orders").gauge().value())
                .isEqualTo(3);
        assertThat(registry.get("pool.checkouts").functionCounter().count()).isEqualTo(7);
        assertThat(registry.get("pool.checkouts").functionCounter().getId().getDescription())
                .isEqualTo("Help.");
    }

    @Test
    void aHistogramIsATimerWithBucketsInSeconds() {
        families.add(family(
                "pool_wait_milliseconds",
                MetricType.HISTOGRAM,
                new MetricSample.Histogram(Map.of("pool", "a"), 5, 20, new TreeMap<>(Map.of(1.0, 2L, 10.0, 4L)))));
        metrics.bindTo(registry);

        assertThat(registry.get("pool.wait").functionTimer().count()).isEqualTo(5);
        assertThat(registry.get("pool.wait").functionTimer().totalTime(TimeUnit.MILLISECONDS))
                .isEqualTo(20);
        assertThat(bucket("0.001")).isEqualTo(2);
        assertThat(bucket("0.01")).isEqualTo(4);
        assertThat(bucket("+Inf")).isEqualTo(5);
    }

    private double bucket(String le) {
        return registry.get("pool.wait.buckets")
                .tags("pool", "a", "le", le)
                .functionCounter()
                .count();
    }

    @Test
    void aSummaryIsATimerWithQuantiles() {
        families.add(family(
                "pool_time_seconds",
                MetricType.SUMMARY,
                new MetricSample.Summary(Map.of(), 4, 2, new TreeMap<>(Map.of(0.5, 0.25)))));
        metrics.bindTo(registry);

        assertThat(registry.get("pool.time").functionTimer().totalTime(TimeUnit.SECONDS))
                .isEqualTo(2);
        assertThat(registry.get("pool.time.quantile")
                        .tag("quantile", "0.5")
                        .timeGauge()
                        .value(TimeUnit.MILLISECONDS))
                .isEqualTo(250);
    }

    @Test
    void allMetersOfASecondReadTheSourceOnce() {
        families.add(family("a", MetricType.GAUGE, value(1)));
        families.add(family("b", MetricType.GAUGE, value(1)));
        metrics.bindTo(registry);
        nextSecond();
        registry.forEachMeter(Meter::measure);
        registry.forEachMeter(meter -> meter.measure().forEach(measurement -> measurement.getValue()));

        assertThat(reads).isEqualTo(2);
    }

    @Test
    void metersFollowTheLabels() {
        families.add(family("a", MetricType.GAUGE, value(1, "server", "one")));
        metrics.bindTo(registry);
        families.set(0, family("a", MetricType.GAUGE, value(2, "server", "two")));
        nextSecond();
        var one = registry.get("a").tag("server", "one").gauge();

        assertThat(one.value()).isNaN();
        assertThat(registry.find("a").tag("server", "one").gauge()).isNull();
        assertThat(registry.get("a").tag("server", "two").gauge().value()).isEqualTo(2);
    }

    @Test
    void metersOfASourceThatHasNoValuesYetAppearLater() {
        metrics.bindTo(registry);
        families.add(family("a", MetricType.GAUGE, value(1)));
        nextSecond();
        assertThat(registry.get("reservoir.metrics.values").gauge().value()).isEqualTo(1);

        assertThat(registry.get("a").gauge().value()).isEqualTo(1);
    }

    @Test
    void aCounterThatBeginsAgainIsShownAsItIs() {
        families.add(family("a_total", MetricType.COUNTER, value(5)));
        metrics.bindTo(registry);
        families.set(0, family("a_total", MetricType.COUNTER, value(1)));
        nextSecond();

        assertThat(registry.get("a").functionCounter().count()).isEqualTo(1);
    }

    @Test
    void closeRemovesTheMetersAndReadsNothingMore() {
        families.add(family("a", MetricType.GAUGE, value(1)));
        metrics.bindTo(registry);
        var meter = registry.get("a").gauge();
        metrics.close();
        nextSecond();

        assertThat(registry.getMeters()).isEmpty();
        assertThat(meter.value()).isEqualTo(1);
        assertThat(reads).isEqualTo(1);
    }

    @Test
    void aTimeWithoutAUnitIsRefused() {
        families.add(family("a", MetricType.SUMMARY, new MetricSample.Summary(Map.of(), 0, 0, new TreeMap<>())));
        assertThatThrownBy(() -> metrics.bindTo(registry))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the name of a SUMMARY is 'a'; allowed: a name that ends with _seconds or _milliseconds");
    }
}
