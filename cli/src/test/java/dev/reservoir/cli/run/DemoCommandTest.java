package dev.reservoir.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.reservoir.cli.Child;
import dev.reservoir.cli.Shell;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** {@code reservoir demo}, from its start to its end. */
class DemoCommandTest {

    @TempDir
    private Path folder;

    @Test
    void aRunForMachinesPrintsItsSummaryAndNothingElse() throws IOException, InterruptedException {
        JsonNode summary;
        try (Child demo = Child.start(folder, "demo", "--for", "20s", "--json")) {
            assertThat(demo.await()).as(demo.printed()).isZero();
            summary = new ObjectMapper().readTree(demo.printed());
            assertThat(demo.left()).isEmpty();
        }
        JsonNode reservoir = summary.get("sides").get(0);
        JsonNode hikari = summary.get("sides").get(1);
        assertThat(summary.get("seconds").doubleValue()).isGreaterThanOrEqualTo(20);
        assertThat(reservoir.get("name").textValue()).isEqualTo("Reservoir");
        assertThat(hikari.get("name").textValue()).isEqualTo("HikariCP");
        for (JsonNode side : List.of(reservoir, hikari)) {
            assertThat(side.get("workflows").longValue()).isPositive();
            assertThat(side.get("connects").longValue()).isPositive();
            assertThat(side.get("p50Millis").doubleValue())
                    .isPositive()
                    .isLessThanOrEqualTo(side.get("p99Millis").doubleValue());
            assertThat(side.get("p999Millis").doubleValue())
                    .isLessThanOrEqualTo(side.get("longestMillis").doubleValue());
        }
        assertThat(reservoir.get("refusedConnects").longValue()).isZero();
        assertThat(summary.get("leases").get("exact").booleanValue()).isTrue();
        assertThat(summary.get("leases").get("held").longValue()).isPositive().isLessThanOrEqualTo(60);
        assertThat(summary.get("leases").get("left").longValue()).isZero();
        assertThat(summary.get("events").get(0).get("text").textValue()).startsWith("Mass drop: Reservoir lost");
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void ctrlCEndsItWithASummaryAndLeavesNothingBehind() throws InterruptedException {
        try (Child demo = Child.start(folder, "demo", "--for", "10m", "--no-faults")) {
            demo.awaitPrinted("0:02  Reservoir: open");
            assertThat(demo.servers()).as("PostgreSQL runs").isNotEmpty();
            assertThat(demo.left()).isNotEmpty();

            demo.interrupt();

            assertThat(demo.printed())
                    .contains("Watch it and inject faults: http://127.0.0.1:")
                    .contains(
                            "The demo injects no fault by itself.",
                            "workflows completed",
                            "(exact); 0 when all had left.")
                    .doesNotContain("Exception", "WARN");
            await().atMost(Duration.ofSeconds(30)).until(() -> demo.servers().isEmpty());
            assertThat(demo.left()).isEmpty();
        }
    }

    @Test
    void whereNobodyLooksItEndsByItself() {
        assertThat(DemoCommand.runs(null, true)).isNull();
        assertThat(DemoCommand.runs(null, false)).isEqualTo(Duration.ofSeconds(60));
        assertThat(DemoCommand.runs("2m", false)).isEqualTo(Duration.ofMinutes(2));
    }

    @Test
    void aPortThatIsTakenIsSaidInOneLine() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}))) {
            Shell shell = Shell.piped();

            assertThat(shell.run("demo", "--for", "5s", "--port", "" + taken.getLocalPort()))
                    .isEqualTo(1);
            assertThat(shell.err().lines()).singleElement().asString().contains("" + taken.getLocalPort(), "--port");
        }
    }
}
