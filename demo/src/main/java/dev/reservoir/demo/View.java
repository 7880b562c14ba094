package dev.reservoir.demo;

import java.util.List;

/** What is printed while the demo runs. */
interface View {
    /** Shows a look. */
    void show(Snapshot snapshot);

    /** Prints the summary below. */
    void end(List<String> summary);
}
