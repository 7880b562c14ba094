package dev.reservoir.cli.budget;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options for the limits of a cluster. The defaults are those of Aurora DSQL. */
public final class LimitOptions {
    @Option(names = "--rate", paramLabel = "N", description = "new connections per second; default: 100")
    @Nullable
    public String rate;

    @Option(names = "--burst", paramLabel = "N", description = "new connections at once; default: 1000")
    @Nullable
    public String burst;

    @Option(names = "--limit", paramLabel = "N", description = "open connections; default: 10000")
    @Nullable
    public String limit;
}
