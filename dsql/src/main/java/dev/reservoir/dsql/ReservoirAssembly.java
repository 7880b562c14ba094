package dev.reservoir.dsql;

import dev.reservoir.dsql.connect.BackingPool;
import dev.reservoir.dsql.connect.ConnectRefusals;
import dev.reservoir.dsql.connect.DsqlEnvironmentNames;
import dev.reservoir.dsql.connect.DsqlVariables;
import dev.reservoir.dsql.endpoint.ClusterLogin;
import dev.reservoir.dsql.endpoint.DsqlLimits;
import dev.reservoir.dsql.token.DsqlTokens;
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
    static BackingPool start(DsqlDataSourceBuilder given, String name, ClusterLogin cluster, DsqlTokens tokens) {
        Properties driverProperties = cluster.properties();
        ReservoirDataSourceBuilder builder = ReservoirDataSource.builder()
                // A checkout sends nothing to the cluster. A transaction is run again if its connection turns out to be
                // dead.
                .validation(Validation.BACKGROUND)
                // Connects are rationed and should stay cheap. Keepalive needs no query, while full detection sends one
                // with each connect.
                .deadPeerDetection(DeadPeerDetection.KEEPALIVE)
                .maxOpen(DsqlLimits.SIZE_DEFAULT)
                .connectionRateLimit(DsqlLimits.RATE_PER_SECOND)
                .connectionBurstLimit(DsqlLimits.BURST);
        DsqlVariables variables = given.variables;
        if (variables != null) {
            builder.environment(variables.ofReservoir(cluster.endpoint()), new DsqlEnvironmentNames());
            builder.maxOpen(variables.maxOpenOfReservoir(DsqlLimits.SIZE_DEFAULT));
        }
        if (given.maxOpen != null) {
            builder.maxOpen(given.maxOpen);
        }
        if (given.connectionRateLimit != null) {
            builder.connectionRateLimit(given.connectionRateLimit);
        }
        if (given.connectionBurstLimit != null) {
            builder.connectionBurstLimit(given.connectionBurstLimit);
        }
        if (given.permits != null) {
            builder.permits(given.permits);
        }
        if (given.leases != null) {
            builder.leases(given.leases);
        }
        builder.name(name)
                .url(cluster.url())
                .driverClassName(ClusterLogin.DRIVER)
                .driverProperties(driverProperties)
                .username(cluster.user())
                .credentials(tokens)
                .connectErrorRule(new ConnectRefusals())
                .serverAgeLimit(DsqlLimits.AGE, DsqlLimits.TRANSACTION)
                .onlyTransactionIsolation("TRANSACTION_REPEATABLE_READ");
        given.reservoirSettings.forEach(setting -> setting.accept(builder));
        return new ReservoirPool(builder.build());
    }
}
