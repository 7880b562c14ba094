package dev.reservoir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code reservoir sim sweep}, {@code list} and {@code show}. */
class SimSweepTest {
    @TempDir
    Path folder;

    private final Shell shell = Shell.piped();
    private String file = "";

    @BeforeEach
    void scenario() throws IOException {
        String text = """
                duration: 20s
                assertConvergeWithin: 4s
                limiterPerSec: 10
                services: [{name: a, targetReady: 20}]
                """;
        file = Files.writeString(folder.resolve("s.yaml"), text).toString();
    }

    @Test
    void theTableSaysWhatMeetsAndTheLastLineTheSmallest() {
        assertThat(shell.run("sim", "sweep", file, "--vary", "target=20,60", "--vary=rate=2,10,20"))
                .isZero();

        assertThat(shell.out())
                .containsPattern("^ +target +rate +meets +converged +connects/s +closed/s\n")
                .containsPattern("\n +20 +2 +no +9\\.\\d\\d s ! +2 +0\n +20 +10 +yes +1\\.\\d\\d s +10 +0\n")
                .doesNotContain("\033");
        assertThat(shell.lastLine())
                .isEqualTo("OK: 3 of 6 combinations meet everything; the smallest is target=20, rate=10");
    }

    @Test
    void ifNoneMeetsItEndsWithOne() {
        assertThat(shell.run("sim", "sweep", file, "--vary", "rate=1,2")).isEqualTo(1);

        assertThat(shell.lastLine()).isEqualTo("FAIL: 0 of 2 combinations meet everything");
    }

    @Test
    void whatCannotBeIsExplained() {
        assertThat(shell.run("sim", "sweep", file, "--vary", "maxOpen=10,20")).isZero();

        assertThat(shell.out()).contains("  1 cannot be, such as maxOpen=10: target 20 is more than maxOpen 10\n");
    }

    @Test
    void filesAndJsonHaveEverything() throws IOException {
        Path csv = folder.resolve("s.csv");
        Path html = folder.resolve("s.html");

        int code = shell.run("sim", "sweep", file, "--vary=rate=2,10", "--json", "--out=" + csv, "--report=" + html);

        assertThat(code).as(shell.err()).isZero();
        assertThat(shell.out())
                .startsWith("{\n  \"scenario\": \"s\",")
                .contains("\"smallest\": {\n    \"rate\": 10\n  },");
        assertThat(Files.readString(csv))
                .startsWith("rate,meets,converged_at_seconds,")
                .hasLineCount(3);
        assertThat(Files.readString(html)).startsWith("<!DOCTYPE html>").contains("<svg ");
    }

    @Test
    void quietPrintsOnlyTheAnswer() {
        shell.run("sim", "sweep", file, "--vary=rate=2,10", "--quiet");

        assertThat(shell.out()).isEqualTo("OK: 1 of 2 combinations meet everything; the smallest is rate=10\n");
    }

    @Test
    void aLongTableIsCutAndSaysHowManyMore() {
        shell.run("sim", "sweep", file, "--duration=2s", "--vary=target=1..201");

        assertThat(shell.out()).contains("  and 1 more, which --out, --json and --report have\n");
    }

    @Test
    void aWrongFileEndsWithTwo() throws IOException {
        Files.writeString(folder.resolve("s.yaml"), "services: []\n");

        assertThat(shell.run("sim", "sweep", file, "--vary=rate=2,10")).isEqualTo(2);

        assertThat(shell.err()).startsWith("s.yaml:1:");
    }

    @Test
    void bundledScenariosAreListedWithWhatTheyAreAbout() {
        assertThat(shell.run("sim", "list")).isZero();

        assertThat(shell.out().lines())
                .hasSizeGreaterThanOrEqualTo(13)
                .allSatisfy(line -> assertThat(line).matches("  [a-z0-9-]+ {2,}[A-Z0-9].*"));
        assertThat(shell.out()).contains("  local  ", "  ecs-400wps  ");
    }

    @Test
    void aShownScenarioCanBeCopiedAndRun() throws IOException {
        assertThat(shell.run("sim", "show", "local")).isZero();

        Path copy = Files.writeString(folder.resolve("copy.yaml"), shell.out());
        assertThat(Shell.piped().run("sim", copy.toString(), "--duration=20s", "--quiet"))
                .isZero();
    }
}
