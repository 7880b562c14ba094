package dev.reservoir.core.metrics;

import java.util.ArrayList;
import java.util.List;

/**
 * Something that has metrics. Called for each scrape, by any thread. Must return soon and must not throw for a reason
 * that passes, such as a server that was just removed.
 */
@FunctionalInterface
public interface MetricSource {
    /** All metrics with their present values. No name occurs twice. */
    List<MetricFamily> read();

    /** The metrics of several sources, one after the other. No two of them may have a metric of the same name. */
    static MetricSource all(MetricSource... sources) {
        List<MetricSource> each = List.of(sources);
        return () -> {
            List<MetricFamily> families = new ArrayList<>();
            each.forEach(source -> families.addAll(source.read()));
            return families;
        };
    }
}
