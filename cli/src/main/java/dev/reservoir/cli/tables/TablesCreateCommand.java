package dev.reservoir.cli.tables;

import dev.reservoir.cli.budget.TableNames;
import dev.reservoir.cli.console.Console;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The command {@code reservoir tables create}. Never replaces or deletes an existing table. */
@Command(
        name = "create",
        customSynopsis = "reservoir tables create [OPTIONS] [NAME ...]",
        description = {
            "Creates the tables that do not exist, billed per request, with deletion of old items. A second run changes nothing."
        },
        footer = {"Exit codes: 0 if the tables can be used, 1 if they cannot, 2 if called wrongly."})
public final class TablesCreateCommand implements Callable<Integer> {
    private final Console console;
    private final Map<String, String> environment;

    @Mixin
    private TableNames names = new TableNames();

    public TablesCreateCommand(Console console, Map<String, String> environment) {
        this.console = console;
        this.environment = environment;
    }

    @Override
    public Integer call() {
        try (Tables tables = Tables.open(console, names, environment)) {
            return tables.create();
        }
    }
}
