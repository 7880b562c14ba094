package dev.reservoir.core.metrics;

import dev.reservoir.core.Durations;
import dev.reservoir.core.Stats;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Reads the metrics of one reservoir, as {@link ReservoirMetric} declares them. Any thread may read. Never blocks.
 *
 * <p>The times of checkouts are extrapolated from a sample, so a number of them can fall a little when a later sample
 * differs. A monitoring system would take that for a restart. So each number stays at the highest value so far.
 */
public final class ReservoirMetrics {
    private final String prefix;
    private final AtomicReference<@Nullable Durations> checkoutTime = new AtomicReference<>();

    /**
     * Has read nothing yet.
     *
     * @param prefix the first part of all names, such as {@code reservoir}
     */
    public ReservoirMetrics(String prefix) {
        this.prefix = prefix;
    }

    /**
     * All metrics with their present values.
     *
     * @param labels the labels of every sample
     * @param stats null if the reservoir does not run; then the metrics have no samples
     */
    public List<MetricFamily> read(Map<String, String> labels, @Nullable Stats stats) {
        Stats rising = stats == null ? null : stats.withCheckoutTime(rising(stats.checkoutTime()));
        List<MetricFamily> families = new ArrayList<>();
        for (ReservoirMetric metric : ReservoirMetric.values()) {
            List<MetricSample> samples = rising == null
                    ? List.of()
                    : metric.samples(rising).stream()
                            .map(sample -> sample.with(labels))
                            .toList();
            families.add(new MetricFamily(prefix + "_" + metric.key(), metric.type(), metric.help(), samples));
        }
        return families;
    }

    private Durations rising(Durations now) {
        Durations highest =
                checkoutTime.accumulateAndGet(now, (before, next) -> before == null ? next : next.noLessThan(before));
        return highest == null ? now : highest;
    }
}
