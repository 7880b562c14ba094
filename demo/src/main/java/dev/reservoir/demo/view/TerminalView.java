package dev.reservoir.demo.view;

import dev.reservoir.demo.fault.FaultInjector;
import dev.reservoir.demo.fleet.Scale;
import dev.reservoir.demo.fleet.Service.State;
import dev.reservoir.demo.sample.Snapshot;
import dev.reservoir.demo.sample.Snapshot.ClusterSnapshot;
import dev.reservoir.demo.sample.Snapshot.ServiceSnapshot;
import dev.reservoir.demo.sample.Snapshot.SideSnapshot;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** Shows both sides in columns, and redraws them in place. */
public final class TerminalView extends View {
    private static final String GREEN = "\033[32m";
    private static final String BLUE = "\033[34m";
    private static final String YELLOW = "\033[33m";
    private static final String DIM = "\033[2m";
    private static final String BOLD = "\033[1m";
    private static final String PLAIN = "\033[0m";
    private static final String NO_WRAP = "\033[?7l";
    private static final String WRAP = "\033[?7h";
    private static final int COLUMN = 32;
    private static final int EVENTS = 2;

    private final boolean colours;
    private int drawn;

    public TerminalView(PrintStream out, boolean colours) {
        super(out);
        this.colours = colours;
    }

    @Override
    public void show(Snapshot snapshot) {
        List<String> lines = lines(snapshot);
        StringBuilder all = new StringBuilder();
        // The terminal cuts a line that is too long. A wrapped line would take two rows, and the cursor would not move
        // up far enough.
        all.append(NO_WRAP);
        if (drawn > 0) {
            all.append("\033[").append(drawn).append('A');
        }
        // Each line clears the rest of the row.
        lines.forEach(line -> all.append(line).append("\033[K").append(System.lineSeparator()));
        all.append(WRAP);
        drawn = lines.size();
        out.print(all);
        out.flush();
    }

    private List<String> lines(Snapshot snapshot) {
        List<String> lines = new ArrayList<>();
        lines.add(columns(
                "  " + NumberText.clock(snapshot.seconds()),
                snapshot,
                side -> new Cell(styled(BOLD, side.name()), side.name().length())));
        for (int i = 0; i < Scale.SERVICES; i++) {
            int index = i;
            lines.add(columns(
                    "  " + Scale.serviceName(i),
                    snapshot,
                    side -> bar(side.services().get(index))));
        }
        lines.add(text("  open", snapshot, side -> side.open() + " of " + Scale.SERVICES * Scale.CONNECTIONS));
        lines.add(text(
                "  connects/s",
                snapshot,
                side -> String.format(
                        Locale.ROOT,
                        "%d (limit %s), refused %d",
                        side.connects(),
                        limit(snapshot.ratePerSecond()),
                        side.refused().total())));
        lines.add(text(
                "  workflows/s",
                snapshot,
                side -> String.format(Locale.ROOT, "%.1f, failed %d", side.workflowsPerSecond(), side.failed())));
        lines.add(text(
                "  p50, p99",
                snapshot,
                side -> NumberText.millis(side.latency().p50Millis()) + ", "
                        + NumberText.millis(side.latency().p99Millis())));
        lines.add(text(
                "  longest", snapshot, side -> NumberText.millis(side.latency().longestMillis())));
        lines.add("  leases        " + leases(snapshot));
        lines.add("  " + styled(GREEN, "#") + " ready  " + styled(BLUE, "#") + " in use  " + styled(YELLOW, ".")
                + " opening");
        List<FaultInjector.Event> events = snapshot.events();
        for (int i = Math.max(0, events.size() - EVENTS); i < events.size(); i++) {
            lines.add(styled(
                    DIM,
                    "  " + NumberText.clock(events.get(i).atSeconds()) + " "
                            + events.get(i).text()));
        }
        return lines;
    }

    /** A text and the number of columns that it occupies. */
    private record Cell(String text, int width) {}

    private Cell bar(ServiceSnapshot service) {
        if (service.state() == State.CRASHED) {
            return new Cell("crashed", 7);
        }
        int room = Math.max(0, Scale.CONNECTIONS + 2 - service.ready() - service.inUse());
        String opening = ".".repeat(Math.min(room, service.opening()));
        String bar = styled(GREEN, "#".repeat(service.ready()))
                + styled(BLUE, "#".repeat(service.inUse()))
                + styled(YELLOW, opening);
        String waiting = service.waiting() > 0 ? " " + service.waiting() + " wait" : "";
        return new Cell(bar + waiting, service.ready() + service.inUse() + opening.length() + waiting.length());
    }

    private static String leases(Snapshot snapshot) {
        ClusterSnapshot cluster = snapshot.cluster();
        return cluster == null
                ? "-"
                : cluster.leases() + " of " + cluster.limit() + " by " + cluster.members() + " reservoirs"
                        + (cluster.takenBack() > 0 ? ", " + cluster.takenBack() + " taken back" : "")
                        + (cluster.away() ? ", DynamoDB is away" : "");
    }

    private static String limit(double rate) {
        return rate == Math.rint(rate) ? Long.toString((long) rate) : Double.toString(rate);
    }

    private static String text(String head, Snapshot snapshot, Function<SideSnapshot, String> cell) {
        return columns(
                head,
                snapshot,
                side -> new Cell(cell.apply(side), cell.apply(side).length()));
    }

    private static String columns(String head, Snapshot snapshot, Function<SideSnapshot, Cell> cell) {
        StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "%-16s", head));
        List<SideSnapshot> sides = snapshot.sides();
        for (int i = 0; i < sides.size(); i++) {
            Cell one = cell.apply(sides.get(i));
            line.append(one.text);
            if (i < sides.size() - 1) {
                line.append(" ".repeat(Math.max(2, COLUMN - one.width)));
            }
        }
        return line.toString();
    }

    private String styled(String style, String text) {
        return colours ? style + text + PLAIN : text;
    }
}
