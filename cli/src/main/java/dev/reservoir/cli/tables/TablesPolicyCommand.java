package dev.reservoir.cli.tables;

import dev.reservoir.cli.budget.ModeOptions;
import dev.reservoir.cli.budget.TableOptions;
import dev.reservoir.cli.console.CliCommand;
import dev.reservoir.cli.console.ExitCode;
import dev.reservoir.cli.console.MisuseException;
import dev.reservoir.cluster.LeaseMode;
import dev.reservoir.cluster.PermitMode;
import dev.reservoir.dynamodb.store.IamPolicies;
import dev.reservoir.dynamodb.store.IamPolicies.Scope;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command {@code reservoir tables policy}. Never uses the network. */
@Command(
        customSynopsis = "reservoir tables policy [OPTIONS]",
        description = {
            "Prints the IAM policy that permits what the modes need on these tables, and nothing else. Sends no"
                    + " requests."
        },
        footer = {"Exit codes: 0 if printed, 2 if called wrongly."})
public final class TablesPolicyCommand extends CliCommand {
    @Mixin
    private TableOptions options = new TableOptions();

    @Mixin
    private ModeOptions modes = new ModeOptions();

    @Option(
            names = "--operator",
            description = "for the operator who runs these commands, not for the fleet: to create, check and delete the"
                    + " tables, and to show and repair the counts")
    private boolean operator;

    @Option(names = "--account", paramLabel = "N", description = "the AWS account's number; default: any")
    private @Nullable String account;

    @Override
    public Integer call() {
        PermitMode permitMode = modes.permits(environment);
        LeaseMode leaseMode = modes.leases(environment);
        options.names(environment);
        try {
            Scope scope = new Scope(
                    options.permitsTable(environment),
                    options.leasesTable(environment),
                    options.region(environment),
                    account);
            console.out()
                    .println(
                            operator
                                    ? IamPolicies.forOperators(scope)
                                    : IamPolicies.forProcesses(scope, permitMode, leaseMode));
        } catch (IllegalArgumentException e) {
            throw new MisuseException(String.valueOf(e.getMessage()));
        }
        return ExitCode.OK;
    }
}
