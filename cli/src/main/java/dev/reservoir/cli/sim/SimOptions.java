package dev.reservoir.cli.sim;

import dev.reservoir.cli.console.Console;
import dev.reservoir.cli.console.MisuseException;
import dev.reservoir.sim.PoolKind;
import dev.reservoir.sim.scenario.DurationText;
import dev.reservoir.sim.scenario.Scenario;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The common options of all commands that simulate. */
final class SimOptions {
    @Parameters(arity = "0..*", paramLabel = "FILE|NAME", description = "a scenario file, or the name of a bundled one")
    List<String> given = new ArrayList<>();

    @Option(
            names = "--pool",
            paramLabel = "POOL",
            split = ",",
            description = "which pool the processes use: reservoir (the default), go-reservoir or plain; several,"
                    + " separated by commas, are run one after the other and shown side by side (in a"
                    + " sweep: one)")
    private List<String> pools = new ArrayList<>();

    @Option(names = "--seed", paramLabel = "N", description = "the seed, in place of the file's")
    private @Nullable String seed;

    @Option(
            names = "--duration",
            paramLabel = "D",
            description = "the duration, in place of the file's, such as" + " 90s or 1h")
    private @Nullable String duration;

    @Option(names = "--out", paramLabel = "FILE.csv", description = "writes the numbers as CSV")
    @Nullable
    String out;

    @Option(names = "--report", paramLabel = "FILE.html", description = "writes a page with charts")
    @Nullable
    String report;

    @Option(names = "--json", description = "prints the result as JSON and nothing else")
    boolean json;

    @Option(
            names = "--quiet",
            description = "prints only the assertions that do not hold; in a sweep only the last" + " line")
    boolean quiet;

    @Option(names = "--plain", description = "no colours and no progress bar, as when the output is not a terminal")
    boolean plain;

    /** The requested pools, without duplicates. */
    List<PoolKind> pools() {
        List<PoolKind> kinds = new ArrayList<>();
        for (String label : pools) {
            PoolKind kind = List.of(PoolKind.values()).stream()
                    .filter(k -> k.label().equals(label))
                    .findFirst()
                    .orElseThrow(() -> new MisuseException(
                            "--pool is '" + label + "'; allowed: " + String.join(", ", PoolKind.labels())));
            if (!kinds.contains(kind)) {
                kinds.add(kind);
            }
        }
        return kinds.isEmpty() ? List.of(PoolKind.RESERVOIR) : kinds;
    }

    /** The scenario with the requested seed and duration. */
    Scenario applyTo(Scenario scenario) {
        Scenario seeded = seed == null ? scenario : scenario.withSeed(seed(seed));
        return duration == null ? seeded : withDuration(seeded, duration);
    }

    private static long seed(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new MisuseException("--seed is '" + text + "'; allowed: whole numbers");
        }
    }

    private static Scenario withDuration(Scenario s, String text) {
        Duration value = DurationText.parse(text);
        if (value == null || value.compareTo(s.sampleEvery()) < 0 || value.compareTo(Scenario.DURATION_MAX) > 0) {
            throw new MisuseException("--duration is '" + text + "'; allowed: such as 90s or 1h, at least "
                    + DurationText.format(s.sampleEvery()) + " (sampleEvery of " + s.name() + "), at most 720h");
        }
        long samples = s.services().size() * (value.toNanos() / s.sampleEvery().toNanos());
        if (samples > Scenario.SAMPLES_MAX) {
            throw new MisuseException(String.format(
                    Locale.ROOT,
                    "--duration is '%s', which gives %,d samples of %s; allowed: at most %,d, with a longer"
                            + " sampleEvery",
                    text,
                    samples,
                    s.name(),
                    Scenario.SAMPLES_MAX));
        }
        refuseToLeaveOut(s, value, text);
        return s.withDuration(value);
    }

    /**
     * Rejects a duration that ends before a fault or a start of a process. A run like that could pass only because it
     * leaves out what the file is about.
     */
    private static void refuseToLeaveOut(Scenario s, Duration end, String text) {
        for (Scenario.Fault fault : s.faults()) {
            if (fault.at().compareTo(end) >= 0) {
                throw new MisuseException("--duration is '" + text + "'; allowed: more than "
                        + DurationText.format(fault.at()) + ", when a fault of " + s.name() + " begins");
            }
        }
        for (Scenario.Service service : s.services()) {
            Duration last = service.startDelay().plus(service.instanceDelay().multipliedBy(service.instances() - 1L));
            if (last.compareTo(end) >= 0) {
                throw new MisuseException("--duration is '" + text + "'; allowed: more than "
                        + DurationText.format(last) + ", when the last process of " + service.name() + " starts");
            }
        }
    }

    /**
     * The console of the command. It has no colours and no progress bar if the options exclude them or they would
     * disturb the output.
     */
    Console console(Console console) {
        return plain || json || quiet ? console.plain() : console;
    }
}
