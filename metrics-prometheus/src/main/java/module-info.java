/** Shows the metrics of Reservoir to Prometheus. */
@SuppressWarnings("requires-automatic") // the client library has no module descriptors
module dev.reservoir.metrics.prometheus {
    requires static org.jspecify;
    requires transitive dev.reservoir.core;
    requires io.prometheus.metrics.exporter.httpserver;
    requires io.prometheus.metrics.model;

    exports dev.reservoir.metrics.prometheus;
}
