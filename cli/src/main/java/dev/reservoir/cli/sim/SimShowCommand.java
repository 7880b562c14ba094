package dev.reservoir.cli.sim;

import dev.reservoir.cli.console.CliCommand;
import dev.reservoir.cli.console.ExitCode;
import dev.reservoir.cli.console.MisuseException;
import dev.reservoir.sim.file.Scenarios;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The command {@code reservoir sim show}. */
@Command(
        customSynopsis = "reservoir sim show NAME",
        description = {"Prints the file of a bundled scenario, as a start for your own."})
public final class SimShowCommand extends CliCommand {
    @Parameters(
            arity = "0..*",
            paramLabel = "NAME",
            description = "the name of a bundled scenario; reservoir sim" + " list prints all names")
    private List<String> names = new ArrayList<>();

    @Override
    public Integer call() throws IOException {
        String bundled = String.join(", ", Scenarios.names());
        if (names.size() != 1) {
            throw new MisuseException(
                    (names.isEmpty() ? "no name given" : "'" + names.get(1) + "' is one name too many")
                            + "; allowed: one of " + bundled);
        }
        if (!Scenarios.names().contains(names.get(0))) {
            throw new MisuseException(
                    "no bundled scenario is called '" + names.get(0) + "'; allowed: one of " + bundled);
        }
        console.printUtf8(to -> to.append(Scenarios.text(names.get(0))));
        return ExitCode.OK;
    }
}
