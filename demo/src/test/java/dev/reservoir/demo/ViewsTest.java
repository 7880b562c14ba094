package dev.reservoir.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.demo.fault.FaultInjector;
import dev.reservoir.demo.fleet.EmulatedDatabase.Refused;
import dev.reservoir.demo.fleet.Latency;
import dev.reservoir.demo.fleet.Service.State;
import dev.reservoir.demo.fleet.WorkDone;
import dev.reservoir.demo.sample.Snapshot;
import dev.reservoir.demo.sample.Snapshot.ClusterSnapshot;
import dev.reservoir.demo.sample.Snapshot.ServiceSnapshot;
import dev.reservoir.demo.sample.Snapshot.SideSnapshot;
import dev.reservoir.demo.view.DemoSummary;
import dev.reservoir.demo.view.LineView;
import dev.reservoir.demo.view.TerminalView;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/** What is printed, word by word. */
class ViewsTest {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);

    private String printed() {
        return bytes.toString(StandardCharsets.UTF_8).replace(System.lineSeparator(), "\n");
    }

    private static Snapshot snapshot() {
        SideSnapshot reservoir = new SideSnapshot(
                "Reservoir",
                List.of(
                        new ServiceSnapshot("history-1", State.RUNNING, 0, 10, 5, 0, 0, 17),
                        new ServiceSnapshot("history-2", State.STARTING, 3, 4, 0, 0, 2, 17),
                        new ServiceSnapshot("history-3", State.CRASHED, 0, 0, 0, 0, 0, -1)),
                19,
                5,
                0,
                new Refused(0, 0, 0),
                11.96,
                240,
                3,
                new Latency(1200, 2345, 3456, 12345));
        SideSnapshot hikari = new SideSnapshot(
                "HikariCP",
                List.of(
                        new ServiceSnapshot("history-1", State.RUNNING, 1, 4, 3, 0, 0, -1),
                        new ServiceSnapshot("history-2", State.RUNNING, 0, 4, 2, 1, 0, -1),
                        new ServiceSnapshot("history-3", State.RUNNING, 0, 4, 1, 0, 0, -1)),
                18,
                2,
                4,
                new Refused(6, 1, 0),
                0,
                230,
                4,
                Latency.NONE);
        return new Snapshot(
                83.4,
                5,
                List.of(reservoir, hikari),
                new ClusterSnapshot(51, 60, 4, true, 17),
                List.of(),
                List.of(new FaultInjector.Event(
                        20.1, "Mass drop: Reservoir lost 45 connections, HikariCP lost 30 connections", 1)));
    }

    @Test
    void aPictureHasBothSidesInColumnsAndIsDrawnOverItself() {
        TerminalView picture = new TerminalView(out, false);
        picture.show(snapshot());
        assertThat(printed())
                .as("lines that are too long are cut, not broken")
                .startsWith("\033[?7l")
                .endsWith("\033[?7h");
        String first = printed().replace("\033[K", "").replace("\033[?7l", "").replace("\033[?7h", "");

        assertThat(first).isEqualTo("""
                  1:23          Reservoir                       HikariCP
                  history-1     ###############                 #######.
                  history-2     ####... 2 wait                  ######
                  history-3     crashed                         #####
                  open          19 of 45                        18 of 45
                  connects/s    5 (limit 5), refused 0          2 (limit 5), refused 7
                  workflows/s   12.0, failed 3                  0.0, failed 4
                  p50, p99      1,200 ms, 2,345 ms              -, -
                  longest       12.3 s                          -
                  leases        51 of 60 by 4 reservoirs, 17 taken back, DynamoDB is away
                  # ready  # in use  . opening
                  0:20 Mass drop: Reservoir lost 45 connections, HikariCP lost 30 connections
                """);
        picture.show(snapshot());
        assertThat(printed()).contains("\033[12A");
    }

    @Test
    void linesTellEachEventOnce() {
        LineView lines = new LineView(out);
        lines.show(snapshot());
        lines.show(snapshot());

        String line = "1:23  Reservoir: open 19, connects 5/s, refused 0, 12.0 workflows/s, p99 2,345 ms, failed 3"
                + "  HikariCP: open 18, connects 2/s, refused 7, 0.0 workflows/s, p99 -, failed 4\n";
        assertThat(printed())
                .isEqualTo(
                        "0:20  Mass drop: Reservoir lost 45 connections, HikariCP lost 30 connections\n" + line + line);
    }

    @Test
    void linesGoOnWhenOldEventsAreForgotten() {
        LineView lines = new LineView(out);
        for (int i = 1; i <= 3; i++) {
            Snapshot snapshot = snapshot();
            List<FaultInjector.Event> last = List.of(
                    new FaultInjector.Event(i, "event " + i, i),
                    new FaultInjector.Event(i + 1, "event " + (i + 1), i + 1));
            lines.show(new Snapshot(
                    snapshot.seconds(),
                    snapshot.ratePerSecond(),
                    snapshot.sides(),
                    snapshot.cluster(),
                    snapshot.faults(),
                    last));
        }
        assertThat(printed().lines().filter(line -> line.contains("event")))
                .containsExactly("0:01  event 1", "0:02  event 2", "0:03  event 3", "0:04  event 4");
    }

    @Test
    void whatIsNeitherCompletedNorFailedIsNotFinished() {
        Histogram latency = new Histogram(3);
        latency.recordValue(2_000_000);
        WorkDone work = new WorkDone(10, 1, 2, latency).plus(new WorkDone(5, 0, 0, new Histogram(3)));
        assertThat(work.undone()).isEqualTo(12);
        assertThat(work.latency().p99Millis()).isBetween(1.99, 2.01);
        assertThat(WorkDone.none().latency()).isEqualTo(Latency.NONE);
    }

    @Test
    void theSummaryOfNothingHasNoLatency() {
        DemoSummary.SideSummary nothing =
                new DemoSummary.SideSummary("Reservoir", 0, 0, 0, Latency.NONE, new Refused(0, 0, 0), 0, null);
        DemoSummary summary = new DemoSummary(1, List.of(nothing, nothing), new DemoSummary.Leases(0, 0, 0), List.of());
        assertThat(summary.lines()).contains("  latency, p99                                   -               -");
        assertThat(summary.json()).contains("\"p99Millis\" : null");
    }

    @Test
    void theSummaryHasTheFiguresOfBothSides() {
        DemoSummary summary = new DemoSummary(
                60.2,
                List.of(
                        new DemoSummary.SideSummary(
                                "Reservoir",
                                1234,
                                5,
                                0,
                                new Latency(700, 1400, 2100, 2200),
                                new Refused(0, 0, 0),
                                90,
                                8.44),
                        new DemoSummary.SideSummary(
                                "HikariCP",
                                1230,
                                7,
                                2,
                                new Latency(710, 1500, 2500, 61_000),
                                new Refused(17, 2, 1),
                                70,
                                null)),
                new DemoSummary.Leases(51, 51, 0),
                List.of(new FaultInjector.Event(20, "Mass drop", 1)));

        assertThat(String.join("\n", summary.lines())).isEqualTo("""
                In 60 s                                  Reservoir        HikariCP
                  workflows completed                        1,234           1,230
                  workflows failed                               5               7
                  workflows not finished                         0               2
                  latency, median                           700 ms          710 ms
                  latency, p99                            1,400 ms        1,500 ms
                  latency, p99.9                          2,100 ms        2,500 ms
                  latency, longest                        2,200 ms          61.0 s
                  connects refused                               0              20
                  connections opened                            90              70
                  time until full                            8.4 s           never
                Leases at the end: 51 counted, 51 held by the reservoirs (exact); 0 when all had left.""");
        assertThat(summary.json())
                .contains(
                        "\"name\" : \"HikariCP\"",
                        "\"refusedConnects\" : 20",
                        "\"fullAfterSeconds\" : null",
                        "\"exact\" : true",
                        "\"left\" : 0",
                        "\"atSeconds\" : 20.0");
    }
}
