package dev.reservoir.cli.tables;

import dev.reservoir.cli.budget.TableNames;
import dev.reservoir.cli.console.Console;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The command {@code reservoir tables check}. Never changes a table. */
@Command(
        name = "check",
        customSynopsis = "reservoir tables check [OPTIONS] [NAME ...]",
        description = {"Checks whether the tables are set up correctly. Changes nothing."},
        footer = {"Exit codes: 0 if the budget works with these tables, 1 if it does not, 2 if called wrongly."})
public final class TablesCheckCommand implements Callable<Integer> {
    private final Console console;
    private final Map<String, String> environment;

    @Mixin
    private TableNames names = new TableNames();

    public TablesCheckCommand(Console console, Map<String, String> environment) {
        this.console = console;
        this.environment = environment;
    }

    @Override
    public Integer call() {
        try (Tables tables = Tables.open(console, names, environment)) {
            return tables.check();
        }
    }
}
