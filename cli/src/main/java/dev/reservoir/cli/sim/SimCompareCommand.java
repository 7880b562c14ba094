package dev.reservoir.cli.sim;

import dev.reservoir.cli.console.CliCommand;
import dev.reservoir.cli.console.Console;
import dev.reservoir.cli.console.MisuseException;
import dev.reservoir.sim.result.Outcome;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command {@code reservoir sim compare}. */
@Command(
        customSynopsis = "reservoir sim compare [OPTIONS] FILE|NAME FILE|NAME ...",
        description = {"Runs scenarios, with one pool or several, and puts their figures side by side."},
        footer = {
            "One scenario is enough if --pool names several pools.",
            "Exit codes: 0 if everything holds, 1 if something does not, 2 if called wrongly or given a wrong file."
        })
public final class SimCompareCommand extends CliCommand {
    @Mixin
    private SimOptions options = new SimOptions();

    @Option(names = "--junit", paramLabel = "FILE.xml", description = "writes a test report for build servers")
    private @Nullable String junit;

    @Override
    public Integer call() throws IOException {
        if (options.given.isEmpty()) {
            throw new MisuseException("nothing to compare; allowed: two scenarios or more, or one with --pool A,B");
        }
        SimulationRuns runs = new SimulationRuns(console, options, options.given, junit);
        if (runs.count() < 2) {
            throw new MisuseException("only " + options.given.get(0)
                    + " to compare; allowed: two scenarios or more, or one with several pools, such as --pool"
                    + " reservoir,plain");
        }
        List<Outcome> outcomes = runs.run();
        Console to = options.console(console);
        if (!options.json) {
            if (!options.quiet) {
                new SideBySide(to).print(outcomes);
                if (!outcomes.stream().allMatch(Outcome::passed)) {
                    console.out().println();
                }
            }
            new OutcomeText(to).failures(outcomes);
        }
        return runs.finish(outcomes);
    }
}
