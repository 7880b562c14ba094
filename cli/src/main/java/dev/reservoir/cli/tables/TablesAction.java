package dev.reservoir.cli.tables;

import dev.reservoir.cli.budget.ClusterAccess;
import dev.reservoir.cli.budget.TableNames;
import dev.reservoir.cli.console.CliCommand;
import dev.reservoir.dynamodb.store.DynamoClient;
import dev.reservoir.dynamodb.store.DynamoTables;
import java.util.Set;
import picocli.CommandLine.Mixin;

/** A command that does something with each of the given tables. Blocks until DynamoDB has answered. */
abstract class TablesAction extends CliCommand {
    @Mixin
    private TableNames names = new TableNames();

    @Override
    public final Integer call() {
        Set<String> given = names.names(environment);
        refuse(given);
        try (DynamoClient client = ClusterAccess.client(names.options, environment, "")) {
            return run(new DynamoTables(client), given);
        }
    }

    /** Throws if the command must not run. */
    void refuse(Set<String> given) {}

    /** Does the work, prints what it did, and returns the exit code. */
    abstract int run(DynamoTables tables, Set<String> given);
}
