package dev.reservoir.dsql;

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
import java.util.Properties;

/**
 * Builds the reservoir of a data source. It is a separate class so that standard mode loads no class of the reservoir.
 */
final class ReservoirAssembly {
    private ReservoirAssembly() {}

    /**
     * Starts the reservoir. The builder's settings override the environment, and the environment overrides DSQL's
     * defaults. Blocks for the initial fill.
     */
    static BackingPool start(DsqlDataSourceBuilder settings, String name, ClusterLogin cluster, DsqlTokens tokens) {
        Properties driverProperties = cluster.properties();
        ReservoirDataSourceBuilder builder = ReservoirDataSource.builder()
                // A checkout sends nothing to the cluster. A transaction is run again if its connection turns out to be
                // dead.
                .validation(Validation.BACKGROUND)
                // Connects are rationed and should stay cheap. Keepalive needs no query, while full detection sends one
                // with each connect.
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
                .driverProperties(driverProperties)
                .username(cluster.user())
                .credentials(tokens)
                .connectErrorRule(new ConnectRefusals())
                .serverAgeLimit(DsqlLimits.CONNECTION_AGE_MAX, DsqlLimits.TRANSACTION_MAX)
                .onlyTransactionIsolation("TRANSACTION_REPEATABLE_READ");
        settings.reservoirSettings.forEach(change -> change.accept(builder));
        return new ReservoirPool(builder.build());
    }
}
