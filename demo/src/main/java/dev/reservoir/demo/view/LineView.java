package dev.reservoir.demo.view;

import dev.reservoir.demo.fault.FaultInjector;
import dev.reservoir.demo.sample.Snapshot;
import dev.reservoir.demo.sample.Snapshot.SideSnapshot;
import java.io.PrintStream;
import java.util.Locale;

/** Prints one line per second for both sides, and one line for each event. */
public final class LineView extends View {
    private int lastPrinted;

    public LineView(PrintStream out) {
        super(out);
    }

    @Override
    public void show(Snapshot snapshot) {
        for (FaultInjector.Event event : snapshot.events()) {
            if (event.number() > lastPrinted) {
                lastPrinted = event.number();
                out.println(NumberText.clock(event.atSeconds()) + "  " + event.text());
            }
        }
        StringBuilder line = new StringBuilder(NumberText.clock(snapshot.seconds()));
        for (SideSnapshot side : snapshot.sides()) {
            line.append(String.format(
                    Locale.ROOT,
                    "  %s: open %d, connects %d/s, refused %d, %.1f workflows/s, p99 %s, failed %d",
                    side.name(),
                    side.open(),
                    side.connects(),
                    side.refused().total(),
                    side.workflowsPerSecond(),
                    NumberText.millis(side.latency().p99Millis()),
                    side.failed()));
        }
        out.println(line);
    }
}
