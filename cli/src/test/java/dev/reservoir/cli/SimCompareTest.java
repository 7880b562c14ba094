package dev.reservoir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code reservoir sim compare}. */
class SimCompareTest {
    @TempDir
    Path folder;

    private final Shell shell = Shell.piped();

    private String file(String name, String rate) throws IOException {
        String text = "duration: 20s\nassertConvergeWithin: 4s\nlimiterPerSec: " + rate
                + "\nservices: [{name: a, targetReady: 20}]\n";
        return Files.writeString(folder.resolve(name), text).toString();
    }

    @Test
    void figuresStandSideBySide() throws IOException {
        assertThat(shell.run("sim", "compare", file("slow.yaml", "4"), file("fast.yaml", "10")))
                .isEqualTo(1);

        assertThat(shell.out())
                .containsPattern("^ +slow +fast\n  time to converge +4\\.\\d\\d s +1\\.\\d\\d s\n  connects +20 +20\n")
                .containsPattern("\n  assertConvergeWithin +FAIL +ok\n")
                .contains(
                        "most connects/s",
                        "refused",
                        "empties",
                        "timeouts",
                        "p99.9 wait",
                        "smallest usable share",
                        "closures")
                .contains("\nFAIL slow (reservoir): assertConvergeWithin: 4.")
                .doesNotContain("\033");
        assertThat(shell.lastLine()).startsWith("FAIL: assertConvergeWithin: 4.");
    }

    @Test
    void oneScenarioIsComparedWithSeveralPools() throws IOException {
        Path report = folder.resolve("r.html");

        int code = shell.run(
                "sim", "compare", file("fast.yaml", "10"), "--pool=reservoir,go-reservoir", "--report=" + report);

        assertThat(code).as(shell.out() + shell.err()).isZero();
        assertThat(shell.out()).containsPattern("^ +reservoir +go-reservoir\n");
        assertThat(shell.lastLine()).isEqualTo("OK");
        assertThat(Files.readString(report)).contains("go-reservoir");
    }

    @Test
    void scenariosAndPoolsAreBothNamed() throws IOException {
        shell.run("sim", "compare", file("a.yaml", "20"), file("b.yaml", "10"), "--pool=reservoir,plain");

        assertThat(shell.out())
                .containsPattern("^ +a \\(reservoir\\) +a \\(plain\\) +b \\(reservoir\\) +b \\(plain\\)\n");
    }

    @Test
    void moreThanFiveComeInSeveralBlocks() throws IOException {
        shell.run("sim", "compare", file("a.yaml", "20"), file("b.yaml", "10"), "--pool=reservoir,plain,go-reservoir");

        assertThat(shell.out().split("time to converge", -1)).hasSize(3);
    }

    @Test
    void jsonIsAllThatIsPrinted() throws IOException {
        shell.run("sim", "compare", file("a.yaml", "20"), file("b.yaml", "10"), "--json");

        assertThat(shell.out())
                .startsWith("{\n  \"passed\": true,\n")
                .contains("\"scenario\": \"a\"", "\"scenario\": \"b\"")
                .endsWith("\n}\n");
    }

    @Test
    void quietPrintsOnlyWhatDoesNotHold() throws IOException {
        shell.run("sim", "compare", file("slow.yaml", "4"), file("fast.yaml", "10"), "--quiet");

        assertThat(shell.out()).startsWith("FAIL slow (reservoir): ").hasLineCount(1);
    }
}
