package dev.reservoir.cli.tables;

import dev.reservoir.cli.budget.ClusterAccess;
import dev.reservoir.cli.console.ExitCode;
import dev.reservoir.cli.console.MisuseException;
import dev.reservoir.dynamodb.store.DynamoTables;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command {@code reservoir tables delete}. Never deletes without {@code --yes}. */
@Command(
        customSynopsis = "reservoir tables delete [OPTIONS] --yes [NAME ...]",
        description = {
            "Deletes the tables and all counts in them. Processes that use them then continue as they do when"
                    + " DynamoDB is away."
        },
        footer = {"Exit codes: 0 if the tables are gone, 1 if they are not, 2 if called wrongly."})
public final class TablesDeleteCommand extends TablesAction {
    @Option(names = "--yes", description = "deletes; without it nothing is done")
    private boolean yes;

    @Override
    void refuse(Set<String> given) {
        if (!yes) {
            throw new MisuseException("would delete " + String.join(" and ", given)
                    + " with all that is in it; allowed: only with --yes");
        }
    }

    @Override
    int run(DynamoTables tables, Set<String> given) {
        for (String name : given) {
            boolean wasThere = ClusterAccess.asked(() -> tables.delete(name));
            console.out().println(wasThere ? "deleted table " + name : "table " + name + " did not exist");
        }
        return ExitCode.OK;
    }
}
