package dev.reservoir.metrics.opentelemetry;

import dev.reservoir.core.Stats;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.BatchCallback;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.metrics.ObservableLongMeasurement;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Shows one reservoir under the names that OpenTelemetry gives to every pool of database connections,
 * {@code db.client.connection.*}, so that dashboards for any pool show it. The histograms of these conventions are
 * missing, because an instrument that is read cannot be one; {@link OpenTelemetryMetrics} has the times. Each
 * collection reads the statistics once. No method blocks.
 */
public final class ConnectionInstruments implements AutoCloseable {
    private static final String PREFIX = "db.client.connection.";
    private static final AttributeKey<String> POOL = AttributeKey.stringKey(PREFIX + "pool.name");
    private static final AttributeKey<String> STATE = AttributeKey.stringKey(PREFIX + "state");

    private final Supplier<Optional<Stats>> stats;
    private final Attributes pool;
    private final Attributes idle;
    private final Attributes used;
    private final ObservableLongMeasurement count;
    private final ObservableLongMeasurement idleMin;
    private final ObservableLongMeasurement max;
    private final ObservableLongMeasurement pending;
    private final ObservableLongMeasurement timeouts;
    private final BatchCallback callback;

    private ConnectionInstruments(OpenTelemetry telemetry, String name, Supplier<Optional<Stats>> stats) {
        this.stats = stats;
        pool = Attributes.of(POOL, name);
        idle = pool.toBuilder().put(STATE, "idle").build();
        used = pool.toBuilder().put(STATE, "used").build();
        Meter meter = telemetry.getMeter(OpenTelemetryMetrics.SCOPE);
        count = level(meter, "count", "{connection}", "The number of connections in each state.");
        idleMin = level(meter, "idle.min", "{connection}", "The fewest connections that are to be idle.");
        max = level(meter, "max", "{connection}", "The most open connections.");
        pending = level(meter, "pending_requests", "{request}", "Requests that wait for a connection.");
        timeouts = meter.counterBuilder(PREFIX + "timeouts")
                .setUnit("{timeout}")
                .setDescription("Requests that ended without a connection.")
                .buildObserver();
        callback = meter.batchCallback(this::observe, count, idleMin, max, pending, timeouts);
    }

    /**
     * Registers the instruments. They stay until {@link #close}.
     *
     * @param name the name of the pool
     * @param stats gives the statistics; nothing while the reservoir does not run
     */
    public static ConnectionInstruments bind(OpenTelemetry telemetry, String name, Supplier<Optional<Stats>> stats) {
        return new ConnectionInstruments(telemetry, name, stats);
    }

    private static ObservableLongMeasurement level(Meter meter, String name, String unit, String help) {
        return meter.upDownCounterBuilder(PREFIX + name)
                .setUnit(unit)
                .setDescription(help)
                .buildObserver();
    }

    private void observe() {
        stats.get().ifPresent(now -> {
            count.record(now.ready(), idle);
            // One that is being validated is neither, but it cannot be had now.
            count.record((long) now.inUse() + now.validating(), used);
            idleMin.record(now.targets().targetReady(), pool);
            max.record(now.targets().maxOpen(), pool);
            pending.record(now.waiting(), pool);
            timeouts.record(now.timeouts(), pool);
        });
    }

    /** Ends the observation. The instruments show nothing more. */
    @Override
    public void close() {
        callback.close();
    }
}
