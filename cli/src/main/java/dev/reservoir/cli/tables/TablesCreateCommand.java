package dev.reservoir.cli.tables;

import dev.reservoir.cli.budget.ClusterAccess;
import dev.reservoir.cli.console.ExitCode;
import dev.reservoir.dynamodb.store.DynamoTables;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Command;

/** The command {@code reservoir tables create}. Never replaces or deletes an existing table. */
@Command(
        customSynopsis = "reservoir tables create [OPTIONS] [NAME ...]",
        description = {
            "Creates the tables that do not exist, billed per request, with deletion of old items. A second run"
                    + " changes nothing."
        },
        footer = {"Exit codes: 0 if the tables can be used, 1 if they cannot, 2 if called wrongly."})
public final class TablesCreateCommand extends TablesAction {
    @Override
    int run(DynamoTables tables, Set<String> given) {
        for (String name : given) {
            List<String> done = ClusterAccess.asked(() -> tables.create(name));
            if (done.isEmpty()) {
                console.out().println("table " + name + " exists, nothing to do");
            }
            done.forEach(console.out()::println);
        }
        return ExitCode.OK;
    }
}
