package dev.reservoir.sim;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Which pool the processes of a simulation use. */
public enum PoolKind {
    /** The production engine. */
    RESERVOIR,
    /** A model of the Go reservoir: counts ready connections only, opens one at a time. */
    GO_RESERVOIR,
    /** A model of a plain pool: opens one at a time when something is missing, replaces after a connection has ended. */
    PLAIN;

    /** The name on the command line and in reports. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The labels of all. */
    public static List<String> labels() {
        return Arrays.stream(values()).map(PoolKind::label).toList();
    }
}
