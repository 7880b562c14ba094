package dev.reservoir.demo.view;

import dev.reservoir.demo.sample.Snapshot;
import java.io.PrintStream;
import java.util.List;

/** The terminal output while the demo runs. */
public abstract class View {
    final PrintStream out;

    View(PrintStream out) {
        this.out = out;
    }

    public abstract void show(Snapshot snapshot);

    /** Prints the summary below the last snapshot. */
    public final void end(List<String> summary) {
        out.println();
        summary.forEach(out::println);
    }
}
