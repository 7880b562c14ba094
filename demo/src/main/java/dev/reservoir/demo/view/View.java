package dev.reservoir.demo.view;

import dev.reservoir.demo.sample.Snapshot;
import java.util.List;

/** What is printed while the demo runs. */
public interface View {
    /** Shows a look. */
    void show(Snapshot snapshot);

    /** Prints the summary below. */
    void end(List<String> summary);
}
