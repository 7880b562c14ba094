package dev.reservoir.metrics.micrometer;

import dev.reservoir.core.metrics.MetricSource;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Shows the metrics of a source as meters. Their names have dots, as Micrometer's names do: {@code reservoir_in_use} is
 * {@code reservoir.in.use}. A registry for Prometheus gives them their first names back.
 *
 * <ul>
 *   <li>A histogram or summary of times is a timer with a count and a sum. The name loses its unit, because the
 *       registry chooses the unit.
 *   <li>A histogram also has counters, with {@code .buckets} behind the name of the timer and the tag {@code le}: how
 *       many times were no longer than so many seconds. They can be added up over a fleet, and Prometheus's
 *       {@code histogram_quantile} reads them. The name {@code .bucket} would be removed by a registry for Prometheus.
 *   <li>A summary also has gauges with the tag {@code quantile}.
 * </ul>
 *
 * <p>Do not bind two sources with the same names and labels to one registry: it has one meter for both.
 *
 * <p>The gauge {@code reservoir.metrics.values} says how many values the source has. Meters read the source when they
 * are read, at most once a second. If labels appear or vanish, as those of a server of a registry, their meters follow
 * at the next reading. No method blocks longer than the source takes to read.
 */
public final class MicrometerMetrics implements MeterBinder, AutoCloseable {
    private final MetricSource source;
    private final List<BoundMeters> bound = new CopyOnWriteArrayList<>();

    /** Shows the metrics of this source. Reads nothing yet. */
    public MicrometerMetrics(MetricSource source) {
        this.source = source;
    }

    /** Registers the meters. They stay, and keep the source in memory, until {@link #close}. */
    @Override
    public void bindTo(MeterRegistry registry) {
        BoundMeters meters = new BoundMeters(source, registry);
        bound.add(meters);
        meters.refresh();
    }

    /** Removes the meters from every registry. */
    @Override
    public void close() {
        bound.forEach(BoundMeters::remove);
        bound.clear();
    }
}
