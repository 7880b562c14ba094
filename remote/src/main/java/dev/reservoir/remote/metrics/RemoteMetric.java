package dev.reservoir.remote.metrics;

import dev.reservoir.core.Durations;
import dev.reservoir.core.metrics.MetricSample;
import dev.reservoir.core.metrics.MetricType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The table of all metrics of a registry. A test compares the documentation with it. The names are part of the
 * interface: dashboards and alerts use them.
 */
public enum RemoteMetric {
    CONNECTIONS(
            "scratchbird_remote_pool_connections_total",
            MetricType.GAUGE,
            "connections",
            Label.STATE,
            "Open connections by state.",
            server -> byLabel(
                    server,
                    Label.STATE,
                    Map.entry("active", (double)
                            Math.max(0, server.stats().activeConnections() - server.failedConnections())),
                    Map.entry("idle", (double) server.stats().idleConnections()),
                    Map.entry("failed", (double) server.failedConnections()))),
    ACQUIRES(
            "scratchbird_remote_pool_acquires_total",
            MetricType.COUNTER,
            "acquires",
            null,
            "Acquires that got a connection.",
            server -> one(server, server.stats().totalAcquires())),
    RELEASES(
            "scratchbird_remote_pool_releases_total",
            MetricType.COUNTER,
            "releases",
            null,
            "Connections that were released.",
            server -> one(server, server.stats().totalReleases())),
    TIMEOUTS(
            "scratchbird_remote_pool_timeouts_total",
            MetricType.COUNTER,
            "acquires",
            null,
            "Acquires that ended without a connection.",
            server -> one(server, server.stats().acquireTimeouts())),
    ERRORS(
            "scratchbird_remote_pool_errors_total",
            MetricType.COUNTER,
            "connects",
            null,
            "Connects that failed.",
            server -> one(server, server.stats().connectionErrors())),
    ACQUIRE_DURATION(
            "scratchbird_remote_pool_acquire_duration_seconds",
            MetricType.SUMMARY,
            "seconds",
            Label.QUANTILE,
            "Time of the acquires that got a connection.",
            server -> summary(server, server.measurements().acquireTime())),
    QUERIES(
            "scratchbird_remote_connection_queries_total",
            MetricType.COUNTER,
            "statements",
            null,
            "Statements that went through the registry's connections.",
            server -> one(server, server.measurements().queryTime().count())),
    QUERY_DURATION(
            "scratchbird_remote_connection_query_duration_seconds",
            MetricType.SUMMARY,
            "seconds",
            Label.QUANTILE,
            "Time of these statements, without the time to read the rows of a cursor.",
            server -> summary(server, server.measurements().queryTime())),
    BYTES_SENT(
            "scratchbird_remote_connection_bytes_sent_total",
            MetricType.COUNTER,
            "bytes",
            null,
            "Bytes written to the network. Missing if the driver offers no way to count them.",
            server -> ifKnown(server, server.measurements().bytesSent())),
    BYTES_RECEIVED(
            "scratchbird_remote_connection_bytes_received_total",
            MetricType.COUNTER,
            "bytes",
            null,
            "Bytes read from the network. Missing if the driver offers no way to count them.",
            server -> ifKnown(server, server.measurements().bytesReceived())),
    HEALTHY(
            "scratchbird_remote_pool_healthy",
            MetricType.GAUGE,
            "0 or 1",
            null,
            "Whether the server is healthy.",
            server -> one(server, server.stats().healthy() ? 1 : 0)),
    HEALTH_CHECKS(
            "scratchbird_remote_pool_health_checks_total",
            MetricType.COUNTER,
            "checks",
            Label.RESULT,
            "Health checks and probes by result.",
            server -> byLabel(
                    server,
                    Label.RESULT,
                    Map.entry("success", (double) server.health().checks()),
                    Map.entry("failure", (double) server.health().failedChecks())));

    /** The labels beside {@code server}, with the values that they can have. */
    enum Label {
        STATE("active", "idle", "failed"),
        RESULT("success", "failure"),
        QUANTILE("0.5", "0.99", "0.999");

        @SuppressWarnings("ImmutableEnumChecker") // the list cannot be modified
        private final List<String> possible;

        Label(String... possible) {
            this.possible = List.of(possible);
        }

        String key() {
            return name().toLowerCase(Locale.ROOT);
        }

        List<String> possible() {
            return possible;
        }
    }

    /** The label that all metrics have. */
    static final String SERVER = "server";

    private final String metricName;
    private final MetricType type;
    private final String unit;
    private final @Nullable Label label;
    private final String help;

    @SuppressWarnings("ImmutableEnumChecker") // the functions have no state
    private final Function<ServerReading, List<MetricSample>> reader;

    RemoteMetric(
            String metricName,
            MetricType type,
            String unit,
            @Nullable Label label,
            String help,
            Function<ServerReading, List<MetricSample>> reader) {
        this.metricName = metricName;
        this.type = type;
        this.unit = unit;
        this.label = label;
        this.help = help;
        this.reader = reader;
    }

    public String metricName() {
        return metricName;
    }

    public MetricType type() {
        return type;
    }

    /** What it counts or measures. */
    public String unit() {
        return unit;
    }

    /** The names of its labels, each with its possible values. The values of {@code server} are not listed. */
    public Map<String, List<String>> labels() {
        Map<String, List<String>> labels = new LinkedHashMap<>();
        labels.put(SERVER, List.of());
        if (label != null) {
            labels.put(label.key(), label.possible());
        }
        return labels;
    }

    public String help() {
        return help;
    }

    /** The values for one server. */
    List<MetricSample> samples(ServerReading server) {
        return reader.apply(server);
    }

    private static List<MetricSample> one(ServerReading server, long value) {
        return List.of(new MetricSample.Value(Map.of(SERVER, server.name()), (double) value));
    }

    private static List<MetricSample> ifKnown(ServerReading server, @Nullable Long value) {
        return value == null ? List.of() : one(server, value);
    }

    @SafeVarargs
    private static List<MetricSample> byLabel(ServerReading server, Label label, Map.Entry<String, Double>... values) {
        List<MetricSample> samples = new ArrayList<>();
        for (Map.Entry<String, Double> entry : values) {
            Map<String, String> labels = new LinkedHashMap<>();
            labels.put(SERVER, server.name());
            labels.put(label.key(), entry.getKey());
            samples.add(new MetricSample.Value(labels, entry.getValue()));
        }
        return samples;
    }

    private static List<MetricSample> summary(ServerReading server, Durations times) {
        TreeMap<Double, Double> quantiles = new TreeMap<>();
        quantiles.put(0.5, seconds(times.p50Nanos()));
        quantiles.put(0.99, seconds(times.p99Nanos()));
        quantiles.put(0.999, seconds(times.p999Nanos()));
        return List.of(new MetricSample.Summary(
                Map.of(SERVER, server.name()), times.count(), seconds(times.sumNanos()), quantiles));
    }

    private static double seconds(long nanos) {
        return nanos / 1e9;
    }
}
