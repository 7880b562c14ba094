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

    private static Map<String, String> ordered(Map<String, String> labels) {
        return Collections.unmodifiableMap(new LinkedHashMap<>(labels));
    }
}
