package dev.reservoir.cli.tables;

import dev.reservoir.cli.budget.TableNames;
import dev.reservoir.cli.console.Console;
import dev.reservoir.cli.console.MisuseException;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command {@code reservoir tables delete}. Never deletes without {@code --yes}. */
@Command(
        name = "delete",
        customSynopsis = "reservoir tables delete [OPTIONS] --yes [NAME ...]",
        description = {
            "Deletes the tables and all counts in them. Processes that use them then continue as they do when DynamoDB is"
                    + " away."
        },
        footer = {"Exit codes: 0 if the tables are gone, 1 if they are not, 2 if called wrongly."})
public final class TablesDeleteCommand implements Callable<Integer> {
    private final Console console;
    private final Map<String, String> environment;

    @Mixin
    private TableNames names = new TableNames();

    @Option(names = "--yes", description = "deletes; without it nothing is done")
    private boolean yes;

    public TablesDeleteCommand(Console console, Map<String, String> environment) {
        this.console = console;
        this.environment = environment;
    }

    @Override
    public Integer call() {
        if (!yes) {
            throw new MisuseException("would delete " + String.join(" and ", names.names(environment))
                    + " with all that is in it; allowed: only with --yes");
        }
        try (Tables tables = Tables.open(console, names, environment)) {
            return tables.delete();
        }
    }
}
