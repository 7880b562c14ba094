package dev.reservoir.sim.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.sim.scenario.Scenario;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordingsTest {
    private static final String A_TIME = "seconds since the beginning such as 12.5, or a duration such as 90s";

    @TempDir
    Path outer = Path.of("");

    private Path folder = Path.of("");

    @BeforeEach
    void makeFolder() throws IOException {
        folder = Files.createDirectory(outer.resolve("inner"));
    }

    private static String scenario(String file) {
        return "services: [{name: a, workload: {arrivals: recorded, file: " + file + "}}]";
    }

    private List<Long> times(String csv) throws IOException {
        Files.writeString(folder.resolve("t.csv"), csv);
        return Reading.read("s.yaml", scenario("t.csv"), folder)
                .services()
                .get(0)
                .workload()
                .recorded();
    }

    private List<String> mistakes(String csv) throws IOException {
        Files.writeString(folder.resolve("t.csv"), csv);
        return Reading.mistakes(scenario("t.csv"), folder);
    }

    @Test
    void oneColumnIsReadWithOrWithoutItsName() throws IOException {
        assertThat(times("0.5\n1s\n0\n")).containsExactly(0L, 500_000_000L, 1_000_000_000L);
        assertThat(times("\uFEFFt\r\n2\r\n\r\n1m\r\n")).containsExactly(2_000_000_000L, 60_000_000_000L);
        assertThat(times("t\n1e-3\n")).containsExactly(1_000_000L);
        assertThat(times("7")).containsExactly(7_000_000_000L);
        assertThat(times("")).isEmpty();
    }

    @Test
    void theColumnNamedTIsTakenOutOfSeveral() throws IOException {
        assertThat(times("path,t,user\n\"/a,b\",3,x\n/c,1,y\n")).containsExactly(1_000_000_000L, 3_000_000_000L);
    }

    @Test
    void linesThatAreNoTimesAreToldWithTheirLine() throws IOException {
        assertThat(mistakes("t\n1\nsoon\n2\n-1\n"))
                .containsExactly(
                        "t.csv:3:1: t is 'soon'; allowed: " + A_TIME, "t.csv:5:1: t is '-1'; allowed: " + A_TIME);
        assertThat(mistakes("a,t\n1,2\n3\n")).containsExactly("t.csv:3:1: t is ''; allowed: " + A_TIME);
        assertThat(mistakes("a,b\n1,2\n"))
                .containsExactly("t.csv:1:1: the first line is 'a,b'; allowed: one column, or several of which one is"
                        + " named t");
        assertThat(mistakes("x\n".repeat(1_000))).hasSize(20);
    }

    @Test
    void aFileThatIsNoCsvInUtf8IsRefused() throws IOException {
        Files.write(folder.resolve("t.csv"), new byte[] {'1', '\n', (byte) 0xFC, '\n'});
        assertThat(Reading.mistakes(scenario("t.csv"), folder))
                .singleElement()
                .asString()
                .startsWith("s.yaml:1:59: file is 't.csv'; allowed: a CSV file that can be read; ");
        assertThat(mistakes("t\n\"1\"2\n"))
                .singleElement()
                .asString()
                .startsWith("s.yaml:1:59: file is 't.csv'; allowed: a CSV file that can be read; ");
    }

    @Test
    void theFileMustBeThereAndInsideTheFolder() throws IOException {
        Files.writeString(outer.resolve("out.csv"), "1\n");
        Files.createSymbolicLink(folder.resolve("link.csv"), outer.resolve("out.csv"));
        String allowed = "'; allowed: a CSV file in the scenario's folder or below it";
        for (String file : List.of("none.csv", "../out.csv", "link.csv", ".", outer.resolve("out.csv") + "")) {
            assertThat(Reading.mistakes(scenario(file), folder))
                    .hasSize(1)
                    .allSatisfy(m -> assertThat(m).startsWith("s.yaml:1:59: file is '"))
                    .allSatisfy(m -> assertThat(m).endsWith(allowed));
        }
        assertThat(Reading.mistakes(scenario("t.csv"), null)).containsExactly("s.yaml:1:59: file is 't.csv" + allowed);
    }

    @Test
    void aFileBelowTheFolderIsReadAndSoIsOneThatIsSharedByMany() throws IOException {
        Files.createDirectory(folder.resolve("sub"));
        Files.writeString(folder.resolve("sub/t.csv"), "1\n");
        Scenario scenario = Reading.read(
                "s.yaml",
                "defaults: {workload: {arrivals: recorded, file: sub/t.csv}}\nservices: [{name: a}, {name: b}]",
                folder);
        assertThat(scenario.services())
                .allSatisfy(s -> assertThat(s.workload().recorded()).containsExactly(1_000_000_000L));
        assertThat(scenario.services().get(0).workload().recorded())
                .isSameAs(scenario.services().get(1).workload().recorded());
    }

    @Test
    void aReadFileFindsItsRecordingBesideItself() throws Exception {
        Files.writeString(folder.resolve("t.csv"), "1\n2\n");
        Path file = Files.writeString(folder.resolve("replay.yaml"), scenario("t.csv"));
        assertThat(ScenarioReader.read(file).services().get(0).workload().recorded())
                .hasSize(2);
    }

    @Test
    void timesAndFileContradictEachOther() {
        assertThat(Reading.mistakes(
                        "services: [{name: a, workload: {arrivals: recorded, times: [1, x, []], file: t.csv}}]",
                        folder))
                .containsExactly(
                        "s.yaml:1:64: times is 'x'; allowed: " + A_TIME,
                        "s.yaml:1:67: times is a list; allowed: " + A_TIME,
                        "s.yaml:1:72: file has no meaning here; allowed: without times");
    }
}
