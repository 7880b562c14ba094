package dev.reservoir.core.metrics;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** The value of one metric for one combination of labels. */
public sealed interface MetricSample {
    /** The values of the labels by their names, in the order of the declaration. */
    Map<String, String> labels();

    /** The same value with these labels before its own. */
    default MetricSample with(Map<String, String> more) {
        Map<String, String> all = new LinkedHashMap<>(more);
        all.putAll(labels());
        if (this instanceof Value one) {
            return new Value(all, one.value());
        }
        if (this instanceof Summary summary) {
            return new Summary(all, summary.count(), summary.sum(), summary.quantiles());
        }
        Histogram histogram = (Histogram) this;
        return new Histogram(all, histogram.count(), histogram.sum(), histogram.atMost());
    }

    /** The value of a counter or a gauge. */
    record Value(Map<String, String> labels, double value) implements MetricSample {
        public Value {
            labels = ordered(labels);
        }
    }

    /**
     * The values of a summary, in the unit of the metric.
     *
     * @param quantiles the quantiles by their share, which is more than 0 and at most 1
     */
    record Summary(Map<String, String> labels, long count, double sum, SortedMap<Double, Double> quantiles)
            implements MetricSample {
        public Summary {
            labels = ordered(labels);
            quantiles = Collections.unmodifiableSortedMap(new TreeMap<>(quantiles));
        }
    }

    /**
     * The values of a histogram, in the unit of the metric.
     *
     * @param atMost how many values were no larger than each bound; the numbers never fall from one bound to the next
     */
    record Histogram(Map<String, String> labels, long count, double sum, SortedMap<Double, Long> atMost)
            implements MetricSample {
        public Histogram {
            labels = ordered(labels);
            atMost = Collections.unmodifiableSortedMap(new TreeMap<>(atMost));
        }
    }

    private static Map<String, String> ordered(Map<String, String> labels) {
        return Collections.unmodifiableMap(new LinkedHashMap<>(labels));
    }
}
