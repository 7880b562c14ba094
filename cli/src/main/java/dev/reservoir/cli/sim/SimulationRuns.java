package dev.reservoir.cli.sim;

import dev.reservoir.cli.console.Console;
import dev.reservoir.cli.console.ExitCode;
import dev.reservoir.cli.console.ProgressBar;
import dev.reservoir.core.util.Text;
import dev.reservoir.sim.PoolKind;
import dev.reservoir.sim.Simulation;
import dev.reservoir.sim.report.HtmlReport;
import dev.reservoir.sim.result.CsvResults;
import dev.reservoir.sim.result.JsonResults;
import dev.reservoir.sim.result.JunitResults;
import dev.reservoir.sim.result.Outcome;
import dev.reservoir.sim.scenario.Scenario;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Simulates scenarios with pools and stores the requested results. Checks all inputs and outputs before the first run.
 */
final class SimulationRuns {
    private final Console console;
    private final SimOptions options;
    private final List<Scenario> scenarios;
    private final List<PoolKind> pools;
    private final @Nullable OutputFile csv;
    private final @Nullable OutputFile html;
    private final @Nullable OutputFile junit;

    SimulationRuns(Console console, SimOptions options, List<String> given, @Nullable String junit) {
        this.console = options.console(console);
        this.options = options;
        this.pools = options.pools();
        this.scenarios =
                ScenarioLoader.scenarios(given).stream().map(options::applyTo).toList();
        this.csv = OutputFile.of("--out", options.out);
        this.html = OutputFile.of("--report", options.report);
        this.junit = OutputFile.of("--junit", junit);
        OutputFile.refuseClashes(Arrays.asList(csv, html, this.junit), given);
    }

    int count() {
        return scenarios.size() * pools.size();
    }

    /** Simulates all scenarios with all pools, one after the other. Blocks until the last one has ended. */
    List<Outcome> run() {
        List<Outcome> outcomes = new ArrayList<>();
        for (Scenario scenario : scenarios) {
            for (PoolKind pool : pools) {
                String what = OutcomeText.name(scenario, pool);
                try (ProgressBar bar = new ProgressBar(console)) {
                    outcomes.add(Simulation.run(scenario, pool, (at, of) -> bar.simulated(what, at, of)));
                } catch (RuntimeException e) {
                    throw new IllegalStateException(
                            "the simulation of " + what + " with seed " + scenario.seed() + " failed: "
                                    + Text.oneLine(e),
                            e);
                }
            }
        }
        return outcomes;
    }

    /**
     * Writes the requested files, prints the JSON or the last line if it was requested, and returns the exit code.
     * Blocks while it writes.
     */
    int finish(List<Outcome> outcomes) throws IOException {
        write(csv, to -> CsvResults.write(outcomes, to));
        write(html, to -> HtmlReport.write(outcomes, to));
        write(junit, to -> JunitResults.write(outcomes, to));
        if (options.json) {
            console.printUtf8(to -> JsonResults.write(outcomes, to));
        } else if (!options.quiet) {
            new OutcomeText(console).verdict(outcomes);
        }
        return ExitCode.of(outcomes.stream().allMatch(Outcome::passed));
    }

    private void write(@Nullable OutputFile file, Console.Content content) throws IOException {
        write(file, content, console, options);
    }

    static void write(@Nullable OutputFile file, Console.Content content, Console console, SimOptions options)
            throws IOException {
        if (file != null) {
            file.write(content);
            if (!options.json && !options.quiet) {
                console.out().println("Written: " + file);
            }
        }
    }
}
