package dev.reservoir.core.metrics;

import java.util.List;

/**
 * One metric with its values at one instant.
 *
 * @param name the full name, with its unit and, for a counter, with the suffix {@code _total}
 * @param help one sentence
 * @param samples one for each combination of labels: {@link MetricSample.Value} for a counter and a gauge, and a class
 *     of its own for each other type
 */
public record MetricFamily(String name, MetricType type, String help, List<MetricSample> samples) {
    private static final String COUNTER_SUFFIX = "_total";

    public MetricFamily {
        if (!name.matches("[a-z][a-z0-9_]*")) {
            throw new IllegalArgumentException(
                    "name is '" + name + "'; allowed: lower-case letters, digits and _, beginning with a letter");
        }
        if (type == MetricType.COUNTER && !name.endsWith(COUNTER_SUFFIX)) {
            throw new IllegalArgumentException(
                    "name is '" + name + "'; allowed for a counter: a name that ends with " + COUNTER_SUFFIX);
        }
        samples = List.copyOf(samples);
        Class<?> expected = switch (type) {
            case COUNTER, GAUGE -> MetricSample.Value.class;
            case SUMMARY -> MetricSample.Summary.class;
            case HISTOGRAM -> MetricSample.Histogram.class;
        };
        for (MetricSample sample : samples) {
            if (!expected.isInstance(sample)) {
                throw new IllegalArgumentException("a sample of " + name + " is a "
                        + sample.getClass().getSimpleName() + "; allowed: " + expected.getSimpleName());
            }
        }
    }
}
