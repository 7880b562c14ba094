package dev.reservoir.sim;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Names the pool that the processes of a simulation use. */
public enum PoolKind {
    /** The production engine. */
    RESERVOIR,
    /** A model of the Go reservoir. It counts only ready connections and opens one connection at a time. */
    GO_RESERVOIR,
    /**
     * A model of a plain pool. It opens one connection at a time, and replaces a connection only after that one has
     * ended.
     */
    PLAIN;

    /** The name of this pool on the command line and in reports. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The labels of all pools, in declaration order. */
    public static List<String> labels() {
        return Arrays.stream(values()).map(PoolKind::label).toList();
    }
}
