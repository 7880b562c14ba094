package dev.reservoir.demo.view;

import dev.reservoir.demo.sample.Snapshot;
import java.util.List;

/** The terminal output while the demo runs. */
public interface View {
    /** Shows a snapshot. */
    void show(Snapshot snapshot);

    /** Prints the summary below the last snapshot. */
    void end(List<String> summary);
}
