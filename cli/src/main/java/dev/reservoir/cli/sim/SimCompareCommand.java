package dev.reservoir.cli.sim;

import dev.reservoir.cli.Main;
import dev.reservoir.cli.console.Console;
import dev.reservoir.cli.console.MisuseException;
import dev.reservoir.sim.result.Outcome;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command {@code reservoir sim compare}. */
@Command(
        name = "compare",
        customSynopsis = "reservoir sim compare [OPTIONS] FILE|NAME FILE|NAME ...",
        description = {"Runs scenarios, with one pool or several, and puts their figures side by side."},
        footer = {
            "One scenario is enough where --pool names several pools.",
            "Exit codes: 0 if everything holds, 1 if something does not, 2 if called wrongly or given a wrong file."
        })
public final class SimCompareCommand implements Callable<Integer> {
    private final Console console;

    @Parameters(arity = "0..*", paramLabel = "FILE|NAME", description = "a scenario file, or the name of a bundled one")
    private List<String> given = new ArrayList<>();

    @Mixin
    private SimOptions options = new SimOptions();

    @Option(names = "--junit", paramLabel = "FILE.xml", description = "writes a test report for build servers")
    private @Nullable String junit;

    public SimCompareCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws IOException {
        if (given.isEmpty()) {
            throw new MisuseException("nothing to compare; allowed: two scenarios or more, or one with --pool A,B");
        }
        SimulationRuns runs = new SimulationRuns(console, options, given, junit);
        if (runs.count() < 2) {
            throw new MisuseException("only " + given.get(0)
                    + " to compare; allowed: two scenarios or more, or one with several pools, such as --pool"
                    + " reservoir,plain");
        }
        List<Outcome> outcomes = runs.run();
        Console to = options.console(console);
        OutcomeText summary = new OutcomeText(to);
        if (!options.json) {
            if (!options.quiet) {
                new SideBySide(to).print(outcomes);
                if (!outcomes.stream().allMatch(Outcome::passed)) {
                    console.out().println();
                }
            }
            summary.failures(outcomes);
        }
        runs.keep(outcomes);
        if (!options.quiet && !options.json) {
            summary.verdict(outcomes);
        }
        return outcomes.stream().allMatch(Outcome::passed) ? Main.OK : Main.FAILED;
    }
}
