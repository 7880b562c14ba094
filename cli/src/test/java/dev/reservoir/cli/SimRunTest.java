package dev.reservoir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code reservoir sim run}. */
class SimRunTest {
    private static final String FILLS = """
            duration: 10s
            limiterPerSec: 10
            assertConvergeWithin: 5s
            services: [{name: a, targetReady: 20}, {name: b-1}, {name: b-2}]
            defaults: {targetReady: 5}
            """;
    private static final String TOO_SLOW = "duration: 10s\nlimiterPerSec: 1\nservices: [{name: a}]\n";

    @TempDir
    Path folder;

    private final Shell shell = Shell.piped();

    private String file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text).toString();
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(p -> p.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void whatHoldsEndsWithOk() throws IOException {
        assertThat(shell.run("sim", file("fills.yaml", FILLS))).as(shell.err()).isZero();

        assertThat(shell.out())
                .startsWith("fills: 3 services, 3 processes, 30 connections; 10s simulated, pool reservoir, seed 42\n")
                .contains(
                        "\n  b-1..2 ",
                        "\n  all ",
                        "\n  ok  assertConvergeWithin ",
                        "Every service at its target: after ")
                .endsWith("\nOK\n")
                .doesNotContain("\033", " x real time");
        assertThat(shell.err()).isEmpty();
    }

    @Test
    void whatDoesNotHoldEndsWithOneAndSaysWhichFigureDecided() throws IOException {
        assertThat(shell.run("sim", "run", file("slow.yaml", TOO_SLOW))).isEqualTo(1);

        assertThat(shell.lastLine())
                .startsWith("FAIL: assertConvergeWithin: never; at the end a had ")
                .endsWith(" of 50; expected: every service at its target within 60 s, and still 5.0 s later");
    }

    @Test
    void aNameThatIsNoFileIsABundledScenario() {
        assertThat(shell.run("sim", "local", "--duration", "10s"))
                .as(shell.err())
                .isZero();

        assertThat(shell.out()).startsWith("local: 4 services, 4 processes, 200 connections; 10s simulated");
    }

    @Test
    void withNothingGivenItRunsLocal() {
        assertThat(shell.run("sim", "--duration=10s", "--seed=9")).isZero();

        assertThat(shell.out()).startsWith("local: ").contains("pool reservoir, seed 9\n");
    }

    @Test
    void everyMistakeOfEveryFileIsALineOfItsOwn() throws IOException {
        String first = file("first.yaml", "duration: soon\nservices: [{name: a, targetReadi: 5}]\n");
        String second = file("second.yaml", "seed: x\nservices: [{name: a}]\n");

        assertThat(shell.run("sim", first, "nowhere.yaml", second)).isEqualTo(2);

        assertThat(shell.err().lines())
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("first.yaml:1:11: duration is 'soon'; allowed: "),
                        line -> assertThat(line).startsWith("first.yaml:2:").contains("did you mean targetReady?"),
                        line -> assertThat(line)
                                .startsWith("reservoir: there is no file 'nowhere.yaml', and no bundled scenario has"
                                        + " that name; bundled: local, mass-drop, "),
                        line -> assertThat(line).startsWith("second.yaml:1:7: seed is 'x'; allowed: "));
        assertThat(shell.out()).isEmpty();
    }

    @Test
    void aFolderIsNoScenario() {
        assertThat(shell.run("sim", folder.toString())).isEqualTo(2);

        assertThat(shell.err()).startsWith("reservoir: '" + folder + "' is a folder, and no bundled scenario has");
    }

    @Test
    void severalPoolsAreShownSideBySide() throws IOException {
        shell.run("sim", file("fills.yaml", FILLS), "--pool", "reservoir,plain", "--pool", "go-reservoir");

        assertThat(shell.out())
                .containsPattern("\n +reservoir +plain +go-reservoir\n  time to converge +\\d")
                .contains("pool plain, seed 42\n", "pool go-reservoir, seed 42\n");
    }

    @Test
    void allFilesAreWrittenWholeAndNothingIsLeftBeside() throws IOException {
        Path csv = folder.resolve("r.csv");
        Path html = folder.resolve("r.html");
        Path xml = folder.resolve("r.xml");
        Files.writeString(csv, "old");

        int code = shell.run(
                "sim",
                file("fills.yaml", FILLS),
                "--pool=reservoir,go-reservoir",
                "--out=" + csv,
                "--report",
                html.toString(),
                "--junit",
                xml.toString());

        assertThat(code).as(shell.err()).isZero();
        assertThat(names()).containsExactly("fills.yaml", "r.csv", "r.html", "r.xml");
        assertThat(Files.readString(csv)).startsWith("t_rfc3339,service,").contains(",fills,go-reservoir,42,");
        assertThat(Files.readString(html)).startsWith("<!").contains("fills");
        assertThat(Files.readString(xml)).contains("<testsuite name=\"fills (go-reservoir)\"");
        assertThat(shell.out()).contains("Written: " + csv, "Written: " + html, "Written: " + xml);
    }

    @Test
    void jsonIsAllThatIsPrinted() throws IOException {
        String json = folder.resolve("x.csv").toString();

        assertThat(shell.run("sim", file("slow.yaml", TOO_SLOW), "--json", "--quiet", "--out", json))
                .isEqualTo(1);

        assertThat(shell.out())
                .startsWith("{\n  \"passed\": false,\n  \"outcomes\": [\n")
                .endsWith("  ]\n}\n");
        assertThat(names()).contains("x.csv");
    }

    @Test
    void quietPrintsOnlyWhatDoesNotHold() throws IOException {
        assertThat(shell.run("sim", file("fills.yaml", FILLS), "--quiet")).isZero();
        assertThat(shell.out()).isEmpty();

        assertThat(shell.run("sim", file("fills.yaml", FILLS), file("slow.yaml", TOO_SLOW), "--quiet"))
                .isEqualTo(1);
        assertThat(shell.out())
                .startsWith("FAIL slow (reservoir): assertConvergeWithin: never; ")
                .hasLineCount(1);
    }

    @Test
    void theSameCallPrintsTheSame() throws IOException {
        Shell again = Shell.piped();
        String file = file("fills.yaml", FILLS);

        shell.run("sim", file);
        again.run("sim", file);

        assertThat(again.out()).isEqualTo(shell.out());
    }

    @Test
    void aTerminalSeesColoursAndTheSpeed() throws IOException {
        Shell terminal = Shell.terminal();

        terminal.run("sim", file("fills.yaml", FILLS));

        assertThat(terminal.out()).contains(" events in ", " x real time.");
        if (System.getenv("NO_COLOR") == null) {
            assertThat(terminal.lastLine()).isEqualTo("\033[32mOK\033[0m");
        }
    }

    @Test
    void plainIsPlainOnATerminalToo() throws IOException {
        Shell terminal = Shell.terminal();
        String file = file("fills.yaml", FILLS);

        terminal.run("sim", file, "--plain");
        shell.run("sim", file);

        assertThat(terminal.out()).isEqualTo(shell.out());
    }

    @Test
    void aLongFleetIsCutAndSaysHowManyMore() throws IOException {
        StringBuilder text = new StringBuilder("duration: 2s\nservices:\n");
        for (char c = 'a'; c <= 'z'; c++) {
            text.append("  - {name: ").append(c).append(", targetReady: 1}\n");
        }

        shell.run("sim", file("long.yaml", text.toString()));

        assertThat(shell.out())
                .contains("\n  t ", "\n  and 6 more ", "\n  all ")
                .doesNotContain("\n  u ");
    }

    @Test
    void filesOfTheSameNameAreToldApart() throws IOException {
        Files.createDirectory(folder.resolve("other"));

        shell.run("sim", file("fills.yaml", FILLS), file("other/fills.yaml", FILLS));

        assertThat(shell.out()).startsWith("fills: ").contains("\nfills (2): ");
    }
}
