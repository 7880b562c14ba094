package dev.reservoir.cli.sim;

import dev.reservoir.cli.Main;
import dev.reservoir.cli.console.Console;
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

/** The command {@code reservoir sim run}. */
@Command(
        name = "run",
        customSynopsis = "reservoir sim [run] [OPTIONS] [FILE|NAME ...]",
        description = {"Runs scenarios and says whether what they expect holds, and which figure decided."},
        footer = {
            "Exit codes: 0 if everything holds, 1 if something does not, 2 if called wrongly or given a wrong file."
        })
public final class SimRunCommand implements Callable<Integer> {
    private final Console console;

    @Parameters(
            arity = "0..*",
            paramLabel = "FILE|NAME",
            description = "a scenario file, or the name of a bundled one; default local")
    private List<String> given = new ArrayList<>();

    @Mixin
    private SimOptions options = new SimOptions();

    @Option(names = "--junit", paramLabel = "FILE.xml", description = "writes a test report for build servers")
    private @Nullable String junit;

    public SimRunCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws IOException {
        SimulationRuns runs = new SimulationRuns(console, options, given.isEmpty() ? List.of("local") : given, junit);
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
        runs.keep(outcomes);
        if (!options.quiet && !options.json) {
            summary.verdict(outcomes);
        }
        return outcomes.stream().allMatch(Outcome::passed) ? Main.OK : Main.FAILED;
    }
}
