package dev.reservoir.cli.sim;

import dev.reservoir.cli.console.CliCommand;
import dev.reservoir.cli.console.Console;
import dev.reservoir.cli.console.ExitCode;
import dev.reservoir.cli.console.MisuseException;
import dev.reservoir.cli.console.NumberText;
import dev.reservoir.cli.console.ProgressBar;
import dev.reservoir.cli.console.TextTable;
import dev.reservoir.sim.PoolKind;
import dev.reservoir.sim.scenario.Scenario;
import dev.reservoir.sim.sweep.Combination;
import dev.reservoir.sim.sweep.Sweep;
import dev.reservoir.sim.sweep.SweepReport;
import dev.reservoir.sim.sweep.SweepResult;
import dev.reservoir.sim.sweep.Vary;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command {@code reservoir sim sweep}. */
@Command(
        customSynopsis = "reservoir sim sweep [OPTIONS] FILE|NAME --vary KEY=VALUES [--vary KEY=VALUES ...]",
        description = {
            "Runs a scenario with every combination of settings, and says which combinations meet all assertions.",
            "The smallest is the first that meets them, in the order of the values; the last --vary changes first."
        },
        footer = {
            "Keys: target, maxOpen, burst, rate, instances, jitter, lifetime, guard, handshake, cap, inUse, load.",
            "  Keys of a service are set in every service. If maxOpen equals target, it follows target. If leases"
                    + " equals",
            "  cap, it follows cap. burst and rate change the limiter and the database, and assertMaxConnectsPerSec"
                    + " if it",
            "  has the same value.",
            "Exit codes: 0 if a combination meets all assertions, 1 if none does, 2 if called wrongly or given a"
                    + " wrong file."
        })
public final class SimSweepCommand extends CliCommand {
    private static final int MOST_ROWS = 200;

    @Option(
            names = "--vary",
            paramLabel = "KEY=VALUES",
            description = "a setting and its values: a list, as in burst=0,1000, or a range with its step, as in"
                    + " target=25..200:25; at most 10,000 combinations in all")
    private List<String> vary = new ArrayList<>();

    @Mixin
    private SimOptions options = new SimOptions();

    @Override
    public Integer call() throws IOException, InterruptedException {
        List<String> given = options.given;
        if (given.size() != 1) {
            throw new MisuseException(
                    given.isEmpty()
                            ? "no scenario to sweep; allowed: one"
                            : "'" + given.get(1) + "' is one scenario too many; allowed: one");
        }
        Sweep sweep = sweep();
        OutputFile csv = OutputFile.of("--out", options.out);
        OutputFile html = OutputFile.of("--report", options.report);
        OutputFile.refuseClashes(Arrays.asList(csv, html), given);
        Console to = options.console(console);
        SweepResult result;
        try (ProgressBar bar = new ProgressBar(to)) {
            result = sweep.run(done -> bar.counted("sweep", done, sweep.combinations()));
        }
        if (!options.json && !options.quiet) {
            table(result, to);
        }
        SimulationRuns.write(csv, result::writeCsv, to, options);
        SimulationRuns.write(html, file -> SweepReport.write(result, file), to, options);
        if (options.json) {
            to.printUtf8(result::writeJson);
        } else {
            answer(result, to);
        }
        return result.smallest() == null ? ExitCode.FAILED : ExitCode.OK;
    }

    private Sweep sweep() {
        List<PoolKind> pools = options.pools();
        if (pools.size() > 1) {
            throw new MisuseException("--pool names " + pools.size() + " pools; allowed: one");
        }
        List<Vary> varied;
        Scenario scenario;
        try {
            varied = vary.stream().map(Vary::parse).toList();
            scenario = options.applyTo(ScenarioLoader.scenarios(options.given).get(0));
            return new Sweep(scenario, pools.get(0), varied);
        } catch (IllegalArgumentException e) {
            throw new MisuseException(String.valueOf(e.getMessage()));
        }
    }

    private static void table(SweepResult result, Console to) {
        List<String> verdicts = result.verdictNames();
        TextTable table = new TextTable();
        result.varied().forEach(v -> table.right(v.knob().key()));
        table.left("meets");
        verdicts.forEach(name -> table.right(SweepResult.heading(name)));
        for (Combination combination :
                result.combinations().stream().limit(MOST_ROWS).toList()) {
            List<String> cells = new ArrayList<>();
            combination.values().forEach(value -> cells.add(value.text()));
            cells.add(combination.meets() ? "yes" : combination.impossible() != null ? "cannot be" : "no");
            verdicts.forEach(name -> cells.add(combination.figure(name)));
            table.row(cells);
        }
        table.print(to.out(), (cell, padded) -> cell.endsWith("!") ? to.bad(padded) : to.marked(cell, padded));
        if (result.combinations().size() > MOST_ROWS) {
            to.out()
                    .println("  and " + NumberText.number(result.combinations().size() - MOST_ROWS)
                            + " more, which --out, --json and --report have");
        }
        List<Combination> impossible = result.combinations().stream()
                .filter(c -> c.impossible() != null)
                .toList();
        if (!impossible.isEmpty()) {
            Combination first = impossible.get(0);
            to.out()
                    .println("  " + NumberText.number(impossible.size()) + " cannot be, such as "
                            + result.settings(first) + ": " + first.impossible());
        }
        to.out().println();
    }

    private static void answer(SweepResult result, Console to) {
        Combination smallest = result.smallest();
        String count = NumberText.number(result.meeting()) + " of "
                + NumberText.number(result.combinations().size()) + " combinations meet everything";
        to.verdict(
                smallest != null, smallest == null ? count : count + "; the smallest is " + result.settings(smallest));
    }
}
