package dev.reservoir.cli.sim;

import dev.reservoir.cli.console.CliCommand;
import dev.reservoir.cli.console.ExitCode;
import dev.reservoir.cli.console.MisuseException;
import dev.reservoir.cli.console.NumberText;
import dev.reservoir.cli.console.ProgressBar;
import dev.reservoir.cli.console.RefusedInputException;
import dev.reservoir.cli.console.TextTable;
import dev.reservoir.sim.PoolKind;
import dev.reservoir.sim.Simulation;
import dev.reservoir.sim.file.ScenarioWriter;
import dev.reservoir.sim.fuzz.Fuzz;
import dev.reservoir.sim.fuzz.Fuzz.Failure;
import dev.reservoir.sim.result.Outcome;
import dev.reservoir.sim.result.Outcome.Mark;
import dev.reservoir.sim.result.Outcome.Verdict;
import dev.reservoir.sim.scenario.DurationText;
import dev.reservoir.sim.scenario.Scenario;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command {@code reservoir sim fuzz}. */
@Command(
        customSynopsis = "reservoir sim fuzz [--seeds FROM..TO | --seed N] [--out FOLDER]",
        description = {
            "Runs random fleets in which much goes wrong, one for each seed, and checks every promise of the engine"
                    + " after every event.",
            "Prints the first seed that breaks a promise, and writes a small scenario file that breaks it again."
        },
        footer = {"Exit codes: 0 if every promise is kept, 1 if one is broken, 2 if called wrongly."})
public final class SimFuzzCommand extends CliCommand {
    private static final String SEEDS = "1..1000";
    private static final Pattern RANGE = Pattern.compile("(-?\\d{1,18})\\.\\.(-?\\d{1,18})");
    private static final Pattern NUMBER = Pattern.compile("-?\\d{1,18}");

    private final Fuzz fuzz;

    @Option(names = "--seeds", paramLabel = "FROM..TO", description = "the seeds to run; default: " + SEEDS)
    private @Nullable String seeds;

    @Option(names = "--seed", paramLabel = "N", description = "runs one seed again and shows what happens in it")
    private @Nullable String seed;

    @Option(
            names = "--out",
            paramLabel = "FOLDER",
            description = "where the scenario file goes if a promise is broken; default: the current folder")
    private @Nullable String out;

    public SimFuzzCommand() {
        this(new Fuzz());
    }

    public SimFuzzCommand(Fuzz fuzz) {
        this.fuzz = fuzz;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        Path folder = folder();
        if (seed != null) {
            if (seeds != null) {
                throw new MisuseException("--seed and --seeds exclude each other");
            }
            if (!NUMBER.matcher(seed).matches()) {
                throw new MisuseException("--seed: '" + seed + "' is no seed; allowed: a whole number");
            }
            return replay(Long.parseLong(seed), out == null ? null : folder);
        }
        String given = seeds == null ? SEEDS : seeds;
        Matcher range = RANGE.matcher(given);
        if (!range.matches() || Long.parseLong(range.group(1)) > Long.parseLong(range.group(2))) {
            throw new MisuseException("--seeds: '" + given
                    + "' is no range; allowed: two whole numbers, the smaller first, such as 1..10000");
        }
        return run(Long.parseLong(range.group(1)), Long.parseLong(range.group(2)), folder);
    }

    private Path folder() {
        String given = out == null ? "" : out;
        try {
            Path folder = Path.of(given);
            if (!Files.exists(folder) || Files.isDirectory(folder)) {
                return folder;
            }
        } catch (InvalidPathException e) {
            // The end of the method reports it.
        }
        throw new RefusedInputException(
                List.of("reservoir: --out: '" + given + "' is no folder; allowed: a folder, which may be new"));
    }

    private int run(long first, long last, Path folder) throws IOException, InterruptedException {
        long count = last - first + 1;
        Failure failure;
        try (ProgressBar bar = new ProgressBar(console)) {
            failure = fuzz.run(first, last, done -> bar.counted("seeds", (int) done, count));
        }
        if (failure == null) {
            console.out()
                    .println(NumberText.number(count) + " seeds, " + first + " to " + last
                            + ": every promise kept, checked after every event");
            console.out().println();
            return console.verdict(true);
        }
        int code = console.verdict(false, "seed " + failure.seed() + " breaks " + failure.how());
        console.out().println("See what happens in it with: reservoir sim fuzz --seed " + failure.seed());
        keep(failure, folder);
        return code;
    }

    private int replay(long number, @Nullable Path folder) throws IOException {
        Scenario scenario = Fuzz.scenario(number);
        Outcome outcome = Simulation.run(scenario, PoolKind.RESERVOIR, Simulation.Progress.NONE);
        TextTable marks = new TextTable().right("").left("").left("");
        for (Mark mark : outcome.marks()) {
            marks.row(List.of(OutcomeText.seconds(mark.atNanos()), mark.kind(), mark.text()));
        }
        console.out()
                .println("seed " + number + ": " + about(scenario) + ", " + NumberText.number(outcome.events())
                        + " events");
        marks.print(console.out());
        for (Verdict verdict : outcome.verdicts()) {
            console.out().println(verdict.name() + ": " + verdict.found());
        }
        console.out().println();
        console.verdict(outcome.passed());
        String how = Fuzz.broken(outcome);
        if (how != null && folder != null) {
            keep(new Failure(number, how, scenario), folder);
        }
        return ExitCode.of(how == null);
    }

    /** Writes a small scenario that fails in the same way. Blocks while it searches for one. */
    private void keep(Failure failure, Path folder) throws IOException {
        Scenario small = fuzz.shrunk(failure);
        Path file = folder.resolve("fuzz-" + failure.seed() + ".yaml");
        Files.createDirectories(folder.toAbsolutePath());
        Files.writeString(file, ScenarioWriter.toYaml(small));
        console.out().println("Enough to break it: " + about(small) + ". Run it with: reservoir sim " + file);
    }

    private static String about(Scenario scenario) {
        return NumberText.count(scenario.services().size(), "service") + ", "
                + NumberText.count(scenario.faults().size(), "fault") + ", "
                + DurationText.format(scenario.duration());
    }
}
