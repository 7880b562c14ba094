package dev.reservoir.cli.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.cli.Main;
import dev.reservoir.cli.console.Console;
import dev.reservoir.sim.file.ScenarioReader;
import dev.reservoir.sim.fuzz.Fuzz;
import dev.reservoir.sim.scenario.Scenario;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class SimFuzzCommandTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final Console console = new Console(stream(out), stream(err), false);

    private static PrintStream stream(ByteArrayOutputStream to) {
        return new PrintStream(to, true, StandardCharsets.UTF_8);
    }

    private static String text(ByteArrayOutputStream of) {
        return of.toString(StandardCharsets.UTF_8);
    }

    private int reservoir(String... args) {
        return Main.run(console, args);
    }

    @Test
    void saysThatEveryPromiseWasKept() {
        assertThat(reservoir("sim", "fuzz", "--seeds", "1..20")).isEqualTo(Main.OK);
        assertThat(text(out))
                .isEqualTo(String.format("20 seeds, 1 to 20: every promise kept, checked after every event%n%nOK%n"));
        assertThat(text(err)).isEmpty();
    }

    @Test
    void replaysOneSeedAndTellsWhatHappenedInIt() {
        long seed = 1;
        while (Fuzz.scenario(seed).faults().isEmpty()) {
            seed++;
        }
        assertThat(reservoir("sim", "fuzz", "--seed", "" + seed)).isEqualTo(Main.OK);
        assertThat(text(out))
                .startsWith("seed " + seed + ": ")
                .contains(" fault", "assertPromisesKept: all kept, checked after every event")
                .endsWith(String.format("OK%n"));
    }

    @Test
    void tellsTheSeedThatFailsAndWritesASmallScenario(@TempDir Path folder) throws Exception {
        // Whatever has two services fails, and only that.
        Fuzz fuzz = new Fuzz(s -> s.services().size() > 1 ? "promise 0: two services" : null);
        long first = 1;
        while (Fuzz.scenario(first).services().size() == 1) {
            first++;
        }
        Path to = folder.resolve("new").resolve("folder");
        int code = new CommandLine(new SimFuzzCommand(console, fuzz))
                .execute("--seeds", "1..1000", "--out", to.toString());
        assertThat(code).isEqualTo(Main.FAILED);
        Path file = to.resolve("fuzz-" + first + ".yaml");
        assertThat(text(out))
                .contains("FAIL: seed " + first + " breaks promise 0: two services")
                .contains("reservoir sim fuzz --seed " + first)
                .contains("Enough to break it: 2 services, 0 faults, ")
                .contains("Run it with: reservoir sim " + file);
        Scenario small = ScenarioReader.read(file);
        assertThat(small.services()).hasSize(2);
        assertThat(small.expected().promisesKept()).isTrue();
        assertThat(small.seed()).isEqualTo(first);
        // With the engine as it is, nothing is wrong with it.
        out.reset();
        assertThat(reservoir("sim", file.toString())).isEqualTo(Main.OK);
        assertThat(text(out)).contains("all kept, checked after every event");
    }

    @Test
    void refusesWhatMakesNoSense(@TempDir Path folder) throws IOException {
        for (String wrong : new String[] {"5..1", "1-5", "many", "1..99999999999999999999", ""}) {
            assertThat(reservoir("sim", "fuzz", "--seeds", wrong)).isEqualTo(Main.MISUSED);
        }
        assertThat(text(err))
                .contains(
                        "--seeds: '5..1' is no range; allowed: two whole numbers, the smaller first, such as 1..10000");
        assertThat(reservoir("sim", "fuzz", "--seed", "x")).isEqualTo(Main.MISUSED);
        assertThat(text(err)).contains("--seed: 'x' is no seed; allowed: a whole number");
        assertThat(reservoir("sim", "fuzz", "--seed", "1", "--seeds", "1..2")).isEqualTo(Main.MISUSED);
        assertThat(text(err)).contains("--seed and --seeds exclude each other");
        Path file = Files.writeString(folder.resolve("file"), "");
        assertThat(reservoir("sim", "fuzz", "--out", file.toString())).isEqualTo(Main.MISUSED);
        assertThat(text(err)).contains("is no folder; allowed: a folder, which may be new");
        assertThat(text(out)).isEmpty();
    }
}
