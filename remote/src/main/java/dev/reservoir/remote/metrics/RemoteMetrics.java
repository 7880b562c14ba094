package dev.reservoir.remote.metrics;

import dev.reservoir.core.metrics.MetricFamily;
import dev.reservoir.core.metrics.MetricSample;
import dev.reservoir.core.metrics.MetricSource;
import dev.reservoir.remote.RemoteConnectionPoolRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** The metrics of a registry with their values. {@link RemoteMetric} declares them. Never blocks. */
public final class RemoteMetrics implements MetricSource {
    private final RemoteConnectionPoolRegistry registry;

    private RemoteMetrics(RemoteConnectionPoolRegistry registry) {
        this.registry = registry;
    }

    public static RemoteMetrics of(RemoteConnectionPoolRegistry registry) {
        return new RemoteMetrics(registry);
    }

    /** All metrics, each with a value for each server that is registered now. */
    @Override
    public List<MetricFamily> read() {
        List<ServerReading> servers = registry.serverNames().stream()
                .map(name -> ServerReading.of(registry, name))
                .filter(Objects::nonNull)
                .toList();
        List<MetricFamily> families = new ArrayList<>();
        for (RemoteMetric metric : RemoteMetric.values()) {
            List<MetricSample> samples = servers.stream()
                    .flatMap(server -> metric.samples(server).stream())
                    .toList();
            families.add(new MetricFamily(metric.metricName(), metric.type(), metric.help(), samples));
        }
        return families;
    }
}
