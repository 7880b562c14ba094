package dev.reservoir.bench.cluster;

import dev.reservoir.bench.report.Unit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A bar that Reservoir has to reach.
 *
 * @param what the case
 * @param setting the beginning of the settings that it applies to
 * @param metric the metric
 * @param most whether the limit is an upper limit; otherwise it is a lower limit
 * @param limit the limit
 */
record ClusterBar(String what, String setting, String metric, boolean most, double limit) {
    static final double SECOND = 1e9;

    /** A limit for a time to full is the time that the bucket requires, plus a tenth. */
    private static final List<ClusterBar> ALL = List.of(
            atMost("fill", "40 x 100", "item writes per connection opened and closed", 0.5),
            atMost("fill", "40 x 100", "time to full", 33 * SECOND),
            atMost("fill", "40 x 50", "time to full", 11 * SECOND),
            atMost("fill", "", "refused connects", 0),
            atMost("fill", "", "leases left over", 0),
            atLeast("permits", "", "permits a second", 99),
            atMost("permits", "", "writes a second of the permits' key", 1_000),
            atMost("permits", "", "writes of the permits' key in the busiest second", 1_000),
            atMost("permits", "", "refused connects", 0),
            atMost("crash", "40 x 50", "until the leases are back, longest", 15 * SECOND),
            atMost("start", "1,000", "first lease, longest", 5 * SECOND),
            atMost("start", "1,000", "failed requests", 0),
            atMost("idle", "1,000", "dollars a month", 150),
            atMost("outage", "1,000", "calm after", 10 * SECOND),
            atMost("outage", "1,000", "processes declared dead", 0),
            atMost("outage", "1,000", "leases held beyond the limit", 0));

    static @Nullable ClusterBar of(String what, String setting, String metric) {
        return ALL.stream()
                .filter(bar -> bar.what.equals(what) && setting.startsWith(bar.setting) && bar.metric.equals(metric))
                .findFirst()
                .orElse(null);
    }

    /** The bar, whether it is met, and the value divided by it, as two cells of a table. */
    String judge(Unit unit, double value) {
        boolean met = most ? value <= limit : value >= limit;
        return (most ? "≤ " : "≥ ") + unit.format(limit) + (met ? ": met" : ": **missed**") + " | "
                + (limit == 0 || Double.isInfinite(value) ? "-" : FigureTable.ratio(value / limit));
    }

    private static ClusterBar atMost(String what, String setting, String metric, double limit) {
        return new ClusterBar(what, setting, metric, true, limit);
    }

    private static ClusterBar atLeast(String what, String setting, String metric, double limit) {
        return new ClusterBar(what, setting, metric, false, limit);
    }
}
