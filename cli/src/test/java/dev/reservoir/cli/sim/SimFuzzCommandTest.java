package dev.reservoir.cli.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.cli.Shell;
import dev.reservoir.cli.console.ExitCode;
import dev.reservoir.sim.file.ScenarioReader;
import dev.reservoir.sim.fuzz.Fuzz;
import dev.reservoir.sim.scenario.Scenario;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code reservoir sim fuzz}. */
class SimFuzzCommandTest {
    private Shell shell = Shell.piped();

    @Test
    void saysThatEveryPromiseWasKept() {
        assertThat(shell.run("sim", "fuzz", "--seeds", "1..20")).isEqualTo(ExitCode.OK);
        assertThat(shell.out()).isEqualTo("20 seeds, 1 to 20: every promise kept, checked after every event\n\nOK\n");
        assertThat(shell.err()).isEmpty();
    }

    @Test
    void replaysOneSeedAndTellsWhatHappenedInIt() {
        long seed = 1;
        while (Fuzz.scenario(seed).faults().isEmpty()) {
            seed++;
        }
        assertThat(shell.run("sim", "fuzz", "--seed", "" + seed)).isEqualTo(ExitCode.OK);
        assertThat(shell.out())
                .startsWith("seed " + seed + ": ")
                .contains(" fault", "assertPromisesKept: all kept, checked after every event")
                .endsWith("OK\n");
    }

    @Test
    void tellsTheSeedThatFailsAndWritesASmallScenario(@TempDir Path folder) throws Exception {
        // Every scenario with two services or more fails, and no other.
        Fuzz fuzz = new Fuzz(s -> s.services().size() > 1 ? "promise 0: two services" : null);
        long first = 1;
        while (Fuzz.scenario(first).services().size() == 1) {
            first++;
        }
        Path to = folder.resolve("new").resolve("folder");
        int code = new CommandLine(new SimFuzzCommand(fuzz).in(shell.console(), Map.of()))
                .execute("--seeds", "1..1000", "--out", to.toString());
        assertThat(code).isEqualTo(ExitCode.FAILED);
        Path file = to.resolve("fuzz-" + first + ".yaml");
        assertThat(shell.out())
                .contains("FAIL: seed " + first + " breaks promise 0: two services")
                .contains("reservoir sim fuzz --seed " + first)
                .contains("Enough to break it: 2 services, 0 faults, ")
                .contains("Run it with: reservoir sim " + file);
        Scenario small = ScenarioReader.read(file);
        assertThat(small.services()).hasSize(2);
        assertThat(small.expected().promisesKept()).isTrue();
        assertThat(small.seed()).isEqualTo(first);
        // The engine itself runs this scenario without a broken promise.
        shell = Shell.piped();
        assertThat(shell.run("sim", file.toString())).isEqualTo(ExitCode.OK);
        assertThat(shell.out()).contains("all kept, checked after every event");
    }

    @Test
    void refusesWhatMakesNoSense(@TempDir Path folder) throws IOException {
        for (String wrong : new String[] {"5..1", "1-5", "many", "1..99999999999999999999", ""}) {
            assertThat(shell.run("sim", "fuzz", "--seeds", wrong)).isEqualTo(ExitCode.MISUSED);
        }
        assertThat(shell.err())
                .contains(
                        "--seeds: '5..1' is no range; allowed: two whole numbers, the smaller first, such as 1..10000");
        assertThat(shell.run("sim", "fuzz", "--seed", "x")).isEqualTo(ExitCode.MISUSED);
        assertThat(shell.err()).contains("--seed: 'x' is no seed; allowed: a whole number");
        assertThat(shell.run("sim", "fuzz", "--seed", "1", "--seeds", "1..2")).isEqualTo(ExitCode.MISUSED);
        assertThat(shell.err()).contains("--seed and --seeds exclude each other");
        Path file = Files.writeString(folder.resolve("file"), "");
        assertThat(shell.run("sim", "fuzz", "--out", file.toString())).isEqualTo(ExitCode.MISUSED);
        assertThat(shell.err()).contains("is no folder; allowed: a folder, which may be new");
        assertThat(shell.out()).isEmpty();
    }
}
