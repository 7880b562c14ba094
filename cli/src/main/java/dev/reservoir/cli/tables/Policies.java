package dev.reservoir.cli.tables;

import dev.reservoir.cli.budget.TableOptions;
import dev.reservoir.cli.console.MisuseException;
import dev.reservoir.cluster.LeaseMode;
import dev.reservoir.cluster.PermitMode;
import dev.reservoir.dynamodb.store.IamPolicies;
import dev.reservoir.dynamodb.store.IamPolicies.Scope;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Builds IAM policies for the tables that the options name. A class of its own, because every run of any command
 * inspects all commands by reflection.
 */
final class Policies {
    private Policies() {}

    static String of(
            TableOptions options,
            Map<String, String> environment,
            @Nullable String account,
            @Nullable PermitMode permitMode,
            @Nullable LeaseMode leaseMode,
            boolean operator) {
        options.names(environment);
        try {
            Scope scope = new Scope(
                    options.permitsTable(environment),
                    options.leasesTable(environment),
                    options.region(environment),
                    account);
            return operator ? IamPolicies.forOperators(scope) : IamPolicies.forProcesses(scope, permitMode, leaseMode);
        } catch (IllegalArgumentException e) {
            throw new MisuseException(String.valueOf(e.getMessage()));
        }
    }
}
