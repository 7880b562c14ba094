package dev.reservoir.metrics.micrometer;

import dev.reservoir.core.metrics.MetricFamily;
import dev.reservoir.core.metrics.MetricSample;
import dev.reservoir.core.metrics.MetricType;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The value of one meter.
 *
 * @param value the value; the sum of a timer; times are in nanoseconds
 * @param count the count of a timer, else 0
 */
record MeterReading(Key key, Kind kind, String help, double value, long count) {
    /** The value of a meter whose metric has vanished since. */
    static final MeterReading MISSING = new MeterReading(new Key("", Tags.empty()), Kind.GAUGE, "", Double.NaN, 0);

    private static final String COUNTER_SUFFIX = "_total";

    /** What identifies a meter. */
    record Key(String name, Tags tags) {}

    /** The kinds of meters. */
    enum Kind {
        GAUGE,
        TIME_GAUGE,
        COUNTER,
        TIMER
    }

    static List<MeterReading> of(List<MetricFamily> families) {
        List<MeterReading> all = new ArrayList<>();
        families.forEach(family -> family.samples().forEach(sample -> add(all, family, sample)));
        return all;
    }

    private static void add(List<MeterReading> all, MetricFamily family, MetricSample sample) {
        Tags tags = tags(sample.labels());
        if (sample instanceof MetricSample.Value one) {
            Kind kind = family.type() == MetricType.COUNTER ? Kind.COUNTER : Kind.GAUGE;
            all.add(new MeterReading(new Key(dotted(family), tags), kind, family.help(), one.value(), 0));
        } else if (sample instanceof MetricSample.Summary summary) {
            Timing timing = Timing.of(family);
            timing.addTimer(all, tags, summary.count(), summary.sum());
            summary.quantiles()
                    .forEach((share, value) -> all.add(new MeterReading(
                            new Key(timing.name + ".quantile", tags.and("quantile", share.toString())),
                            Kind.TIME_GAUGE,
                            family.help(),
                            value * timing.unitNanos,
                            0)));
        } else if (sample instanceof MetricSample.Histogram histogram) {
            Timing timing = Timing.of(family);
            timing.addTimer(all, tags, histogram.count(), histogram.sum());
            histogram.atMost().forEach((bound, count) -> timing.addBucket(all, tags, seconds(bound, timing), count));
            timing.addBucket(all, tags, "+Inf", histogram.count());
        }
    }

    private static String seconds(double bound, Timing timing) {
        return Double.toString(bound * timing.unitNanos / TimeUnit.SECONDS.toNanos(1));
    }

    private static Tags tags(Map<String, String> labels) {
        Tags tags = Tags.empty();
        for (Map.Entry<String, String> label : labels.entrySet()) {
            tags = tags.and(label.getKey(), label.getValue());
        }
        return tags;
    }

    private static String dotted(MetricFamily family) {
        String name = family.name();
        boolean isCounter = family.type() == MetricType.COUNTER;
        return (isCounter ? name.substring(0, name.length() - COUNTER_SUFFIX.length()) : name).replace('_', '.');
    }

    /** How the times of a metric are shown: the name without the unit, and the unit. */
    private record Timing(String name, double unitNanos, String help) {
        static Timing of(MetricFamily family) {
            for (TimeUnit unit : List.of(TimeUnit.MILLISECONDS, TimeUnit.SECONDS)) {
                String suffix = "_" + unit.name().toLowerCase(Locale.ROOT);
                if (family.name().endsWith(suffix)) {
                    String name = family.name().substring(0, family.name().length() - suffix.length());
                    return new Timing(name.replace('_', '.'), unit.toNanos(1), family.help());
                }
            }
            throw new IllegalArgumentException("the name of a " + family.type() + " is '" + family.name()
                    + "'; allowed: a name that ends with _seconds or _milliseconds");
        }

        void addTimer(List<MeterReading> all, Tags tags, long count, double sum) {
            all.add(new MeterReading(new Key(name, tags), Kind.TIMER, help, sum * unitNanos, count));
        }

        void addBucket(List<MeterReading> all, Tags tags, String bound, long count) {
            all.add(new MeterReading(
                    new Key(name + ".buckets", tags.and("le", bound)), Kind.COUNTER, help, (double) count, 0));
        }
    }
}
