/** Shows the metrics of Reservoir through Micrometer and OpenTelemetry. Needs only the one that is used. */
@SuppressWarnings("requires-automatic") // Micrometer and OpenTelemetry have no module descriptors
module dev.reservoir.metrics {
    requires static io.opentelemetry.api;
    requires static micrometer.core;
    requires static org.jspecify;
    requires transitive dev.reservoir.core;

    exports dev.reservoir.metrics.micrometer;
    exports dev.reservoir.metrics.opentelemetry;
}
