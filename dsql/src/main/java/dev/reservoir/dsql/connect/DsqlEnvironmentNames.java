package dev.reservoir.dsql.connect;

import dev.reservoir.jdbc.EnvironmentNames;
import java.util.Map;

/** The names of the environment variables of a reservoir, as all clients of Aurora DSQL have them. */
public final class DsqlEnvironmentNames implements EnvironmentNames {
    private static final String BUDGET_LIBRARY = "reservoir-dynamodb";

    /** Called by the service loader. */
    public DsqlEnvironmentNames() {}

    @Override
    public String prefix() {
        return "DSQL_RESERVOIR_";
    }

    @Override
    public Map<String, String> exceptions() {
        return Map.of(
                "connectionRateLimit", DsqlVariables.RATE,
                "connectionBurstLimit", DsqlVariables.BURST,
                "staggeredStartup", DsqlVariables.STAGGERED,
                "staggeredStartupMaxDelay", DsqlVariables.STAGGERED_MAX);
    }

    @Override
    public boolean isOurs(String variable) {
        return variable.startsWith(prefix())
                || variable.startsWith("DSQL_CONNECTION_")
                || variable.startsWith("DSQL_STAGGERED_");
    }

    @Override
    public Map<String, String> budgetSwitches() {
        return Map.of(DsqlVariables.CLUSTER_RATE, BUDGET_LIBRARY, DsqlVariables.CLUSTER_COUNT, BUDGET_LIBRARY);
    }
}
