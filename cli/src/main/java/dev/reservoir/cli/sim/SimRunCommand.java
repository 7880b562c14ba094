package dev.reservoir.cli.sim;

import dev.reservoir.cli.console.CliCommand;
import dev.reservoir.sim.result.Outcome;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command {@code reservoir sim run}. */
@Command(
        customSynopsis = "reservoir sim [run] [OPTIONS] [FILE|NAME ...]",
        description = {
            "Runs scenarios, and says whether the assertions hold and which figure decided. Without a"
                    + " scenario it runs local."
        },
        footer = {
            "Exit codes: 0 if everything holds, 1 if something does not, 2 if called wrongly or given a wrong file."
        })
public final class SimRunCommand extends CliCommand {
    @Mixin
    private SimOptions options = new SimOptions();

    @Option(names = "--junit", paramLabel = "FILE.xml", description = "writes a test report for build servers")
    private @Nullable String junit;

    @Override
    public Integer call() throws IOException {
        List<String> given = options.given.isEmpty() ? List.of("local") : options.given;
        SimulationRuns runs = new SimulationRuns(console, options, given, junit);
        List<Outcome> outcomes = runs.run();
        OutcomeText summary = new OutcomeText(options.console(console));
        if (options.quiet && !options.json) {
            summary.failures(outcomes);
        } else if (!options.json) {
            for (int i = 0; i < outcomes.size(); i++) {
                if (i > 0) {
                    console.out().println();
                }
                summary.print(outcomes.get(i));
            }
            if (options.pools().size() > 1) {
                console.out().println();
                new SideBySide(options.console(console)).print(outcomes);
            }
        }
        return runs.finish(outcomes);
    }
}
