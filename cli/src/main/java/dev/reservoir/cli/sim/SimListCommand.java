package dev.reservoir.cli.sim;

import dev.reservoir.cli.console.CliCommand;
import dev.reservoir.cli.console.ExitCode;
import dev.reservoir.cli.console.TextTable;
import dev.reservoir.sim.file.Scenarios;
import java.util.List;
import picocli.CommandLine.Command;

/** The command {@code reservoir sim list}. */
@Command(
        customSynopsis = "reservoir sim list",
        description = {"Lists the bundled scenarios."})
public final class SimListCommand extends CliCommand {
    @Override
    public Integer call() {
        TextTable table = new TextTable().left("").left("");
        Scenarios.names().forEach(name -> table.row(List.of(name, Scenarios.about(name))));
        table.print(console.out());
        return ExitCode.OK;
    }
}
