package dev.reservoir.dsql.connect;

import dev.reservoir.core.spi.Budget;
import dev.reservoir.core.spi.BudgetProvider;
import dev.reservoir.dsql.DsqlDataSource;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the rate limit that this process shares with others, for connections that are opened outside a reservoir.
 * Those connections never take leases.
 */
public final class ClusterRateLimit {
    private static final Logger log = LoggerFactory.getLogger(DsqlDataSource.class);

    private ClusterRateLimit() {}

    /**
     * Returns this process's part of the cluster's budget, or null if the variables ask for none. The caller must
     * close it.
     *
     * @param host the cluster's host name, by which processes share the budget
     * @param leasesIgnored the text of the warning if the variables also ask for leases
     */
    public static @Nullable Budget budget(DsqlVariables variables, String host, String leasesIgnored) {
        if (variables.isOn(DsqlVariables.CLUSTER_COUNT)) {
            log.warn(
                    "{}, only a data source with {}=true does  key={}",
                    leasesIgnored,
                    DsqlVariables.ENABLED,
                    DsqlVariables.CLUSTER_COUNT);
        }
        if (!variables.isOn(DsqlVariables.CLUSTER_RATE)) {
            return null;
        }
        for (BudgetProvider provider :
                ServiceLoader.load(BudgetProvider.class, ClusterRateLimit.class.getClassLoader())) {
            Budget budget = provider.fromEnvironment(variables.withoutLeases(), host);
            if (budget != null) {
                return budget;
            }
        }
        throw new IllegalArgumentException(
                DsqlVariables.CLUSTER_RATE + " is true; allowed: only with reservoir-dynamodb on the class path");
    }
}
