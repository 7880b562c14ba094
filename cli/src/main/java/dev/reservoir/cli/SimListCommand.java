package dev.reservoir.cli;

import dev.reservoir.sim.scenario.Scenarios;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code reservoir sim list}. */
@Command(
        name = "list",
        customSynopsis = "reservoir sim list",
        description = {"Lists the bundled scenarios."})
final class SimListCommand implements Callable<Integer> {
    private final Console console;

    SimListCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        Table table = new Table().left("").left("");
        Scenarios.names().forEach(name -> table.row(List.of(name, Scenarios.about(name))));
        table.print(console.out());
        return Main.OK;
    }
}
