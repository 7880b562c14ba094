package dev.reservoir.core.metrics;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.Durations;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.Stats;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * The table of the metrics that every reservoir has. Binders, endpoints and the documentation follow from it. The full
 * name of a metric is a prefix, an underscore and {@link #key}.
 */
public enum ReservoirMetric {
    SIZE(MetricType.GAUGE, "Connections that are ready.", one(Stats::ready)),
    TARGET(
            MetricType.GAUGE,
            "Connections that are to be ready.",
            one(stats -> stats.targets().targetReady())),
    OPEN(MetricType.GAUGE, "Open connections: ready, in use or being validated.", one(Stats::open)),
    MAX_OPEN(
            MetricType.GAUGE,
            "The most open connections.",
            one(stats -> stats.targets().maxOpen())),
    IN_USE(MetricType.GAUGE, "Connections that callers hold.", one(Stats::inUse)),
    VALIDATING(MetricType.GAUGE, "Connections that are being validated.", one(Stats::validating)),
    OVERFLOW(MetricType.GAUGE, "Temporary connections beyond the maximum.", one(Stats::overflow)),
    OPENING(MetricType.GAUGE, "Connects under way, with those that wait for a permit or a lease.", one(Stats::opening)),
    WAITING_FOR_PERMIT(MetricType.GAUGE, "Connects that wait for a permit.", one(Stats::waitingForPermit)),
    WAITING_FOR_LEASE(MetricType.GAUGE, "Connects that wait for a lease.", one(Stats::waitingForLease)),
    CLOSING(MetricType.GAUGE, "Discarded connections that are not closed yet.", one(Stats::closing)),
    WAITING(MetricType.GAUGE, "Checkouts that wait for a connection.", one(Stats::waiting)),
    CHECKOUTS_TOTAL(MetricType.COUNTER, "Checkouts that got a connection.", one(Stats::checkouts)),
    EMPTY_TOTAL(MetricType.COUNTER, "Checkouts that found no ready connection.", one(Stats::empties)),
    TIMEOUTS_TOTAL(MetricType.COUNTER, "Checkouts that ended without a connection.", one(Stats::timeouts)),
    REFILLS_TOTAL(MetricType.COUNTER, "Connections that were opened.", one(Stats::opened)),
    CLOSED_TOTAL(MetricType.COUNTER, "Connections that were closed.", one(Stats::closed)),
    DISCARDS_TOTAL(
            MetricType.COUNTER,
            "Connections that were discarded, by reason.",
            stats -> byReason(DiscardReason.values(), DiscardReason::label, stats.discards())),
    REFILL_FAILURES_TOTAL(
            MetricType.COUNTER,
            "Connects that failed, by reason.",
            stats -> byReason(OpenFailureReason.values(), OpenFailureReason::label, stats.openFailures())),
    LEASE_RELEASE_FAILURES_TOTAL(
            MetricType.COUNTER, "Leases that could not be released.", one(Stats::leaseReleaseFailures)),
    CHECKOUT_LATENCY_MILLISECONDS(
            MetricType.HISTOGRAM,
            "Time of checkouts. Of those that found a ready connection, a sample is measured.",
            histogram(Stats::checkoutTime)),
    WAIT_MILLISECONDS(MetricType.HISTOGRAM, "Time that checkouts spent in the wait queue.", histogram(Stats::waitTime)),
    USE_MILLISECONDS(
            MetricType.HISTOGRAM, "Time for which connections were in use, of a sample.", histogram(Stats::useTime)),
    CONNECT_MILLISECONDS(
            MetricType.HISTOGRAM,
            "Time of connects, without the waits for permits and leases.",
            histogram(Stats::openTime));

    private static final String REASON = "reason";

    private final MetricType type;
    private final String help;

    @SuppressWarnings("ImmutableEnumChecker") // the functions have no state
    private final Function<Stats, List<MetricSample>> samples;

    ReservoirMetric(MetricType type, String help, Function<Stats, List<MetricSample>> samples) {
        this.type = type;
        this.help = help;
        this.samples = samples;
    }

    /** The name behind the prefix. */
    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    public MetricType type() {
        return type;
    }

    /** One sentence. */
    public String help() {
        return help;
    }

    /** The values, without the labels of the reservoir. */
    List<MetricSample> samples(Stats stats) {
        return samples.apply(stats);
    }

    private static Function<Stats, List<MetricSample>> one(ToLongFunction<Stats> value) {
        return stats -> List.of(new MetricSample.Value(Map.of(), (double) value.applyAsLong(stats)));
    }

    /**
     * All reasons, also those that have not occurred: a counter that appears with its first event shows no increase.
     */
    private static <R> List<MetricSample> byReason(R[] reasons, Function<R, String> label, Map<R, Long> counts) {
        List<MetricSample> all = new ArrayList<>();
        for (R reason : reasons) {
            all.add(new MetricSample.Value(Map.of(REASON, label.apply(reason)), counts.getOrDefault(reason, 0L)));
        }
        return all;
    }

    private static Function<Stats, List<MetricSample>> histogram(Function<Stats, Durations> durations) {
        return stats -> {
            Durations times = durations.apply(stats);
            TreeMap<Double, Long> atMost = new TreeMap<>();
            for (int i = 0; i < Durations.BOUNDS_NANOS.size(); i++) {
                atMost.put(millis(Durations.BOUNDS_NANOS.get(i)), times.atMost().get(i));
            }
            return List.of(new MetricSample.Histogram(Map.of(), times.count(), millis(times.sumNanos()), atMost));
        };
    }

    private static double millis(long nanos) {
        return nanos / 1e6;
    }
}
