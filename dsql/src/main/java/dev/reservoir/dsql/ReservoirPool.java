package dev.reservoir.dsql;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.Stats;
import dev.reservoir.dsql.connect.BackingPool;
import dev.reservoir.dsql.connect.ConnectRefusals;
import dev.reservoir.dsql.connect.DsqlEnvironmentNames;
import dev.reservoir.dsql.connect.DsqlVariables;
import dev.reservoir.dsql.endpoint.ClusterLogin;
import dev.reservoir.dsql.endpoint.DsqlLimits;
import dev.reservoir.jdbc.DeadPeerDetection;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.ReservoirDataSourceBuilder;
import dev.reservoir.jdbc.Validation;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.sql.DataSource;

/** The pool of reservoir mode: passes calls to a {@code ReservoirDataSource} and reports its metrics. */
record ReservoirPool(ReservoirDataSource reservoir) implements BackingPool {

    /**
     * Starts the reservoir. The builder's settings override the environment, and the environment overrides DSQL's
     * defaults. Blocks for the initial fill.
     */
    static BackingPool start(DsqlDataSourceBuilder settings, String name, ClusterLogin cluster, DsqlTokens tokens) {
        ReservoirDataSourceBuilder builder = ReservoirDataSource.builder()
                // A checkout sends nothing to the cluster. A transaction that finds its connection dead is run again.
                .validation(Validation.BACKGROUND)
                // Connects are rationed and should stay cheap. Full detection would send a query with each of them.
                .deadPeerDetection(DeadPeerDetection.KEEPALIVE)
                .maxOpen(DsqlLimits.MAX_OPEN_DEFAULT)
                .connectionRateLimit(DsqlLimits.RATE_PER_SECOND_DEFAULT)
                .connectionBurstLimit(DsqlLimits.BURST_DEFAULT);
        DsqlVariables variables = settings.variables;
        if (variables != null) {
            builder.environment(variables.ofReservoir(cluster.endpoint()), new DsqlEnvironmentNames());
            builder.maxOpen(variables.maxOpenOfReservoir(DsqlLimits.MAX_OPEN_DEFAULT));
        }
        if (settings.maxOpen != null) {
            builder.maxOpen(settings.maxOpen);
        }
        if (settings.connectionRateLimit != null) {
            builder.connectionRateLimit(settings.connectionRateLimit);
        }
        if (settings.connectionBurstLimit != null) {
            builder.connectionBurstLimit(settings.connectionBurstLimit);
        }
        if (settings.permits != null) {
            builder.permits(settings.permits);
        }
        if (settings.leases != null) {
            builder.leases(settings.leases);
        }
        builder.name(name)
                .url(cluster.url())
                .driverClassName(ClusterLogin.DRIVER)
                .driverProperties(cluster.properties())
                .username(cluster.user())
                .credentials(tokens)
                .connectErrorRule(new ConnectRefusals())
                .serverAgeLimit(DsqlLimits.CONNECTION_AGE_MAX, DsqlLimits.TRANSACTION_MAX)
                .onlyTransactionIsolation("TRANSACTION_REPEATABLE_READ");
        settings.reservoirSettings.forEach(change -> change.accept(builder));
        return new ReservoirPool(builder.build());
    }

    @Override
    public Connection getConnection() throws SQLException {
        return reservoir.getConnection();
    }

    @Override
    public Map<String, Double> metrics() {
        Stats stats = reservoir.stats();
        Map<String, Double> all = new LinkedHashMap<>();
        put(all, "size", stats.ready());
        put(all, "target", stats.targets().targetReady());
        put(all, "open", stats.open());
        put(all, "max_open", stats.targets().maxOpen());
        put(all, "in_use", stats.inUse());
        put(all, "opening", stats.opening());
        put(all, "waiting", stats.waiting());
        put(all, "checkouts_total", stats.checkouts());
        put(all, "empty_total", stats.empties());
        put(all, "timeouts_total", stats.timeouts());
        for (DiscardReason reason : DiscardReason.values()) {
            long count = stats.discards().getOrDefault(reason, 0L);
            put(all, "discards_total{reason=\"" + reason.label() + "\"}", count);
        }
        put(all, "refills_total", stats.opened());
        for (OpenFailureReason reason : OpenFailureReason.values()) {
            long count = stats.openFailures().getOrDefault(reason, 0L);
            put(all, "refill_failures_total{reason=\"" + reason.label() + "\"}", count);
        }
        put(all, "lease_release_failures_total", stats.leaseReleaseFailures());
        put(
                all,
                "checkout_latency_milliseconds{quantile=\"0.5\"}",
                stats.checkoutTime().p50Nanos() / 1e6);
        put(
                all,
                "checkout_latency_milliseconds{quantile=\"0.99\"}",
                stats.checkoutTime().p99Nanos() / 1e6);
        put(
                all,
                "checkout_latency_milliseconds{quantile=\"0.999\"}",
                stats.checkoutTime().p999Nanos() / 1e6);
        return all;
    }

    private static void put(Map<String, Double> all, String name, Number value) {
        all.put("dsql_reservoir_" + name, value.doubleValue());
    }

    @Override
    public DataSource dataSource() {
        return reservoir;
    }

    @Override
    public void close() {
        reservoir.close();
    }
}
