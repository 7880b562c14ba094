package dev.reservoir.cli.budget;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What a cluster rations. The defaults are Aurora DSQL's. */
public final class LimitOptions {
    @Option(names = "--rate", paramLabel = "N", description = "new connections a second; default 100")
    @Nullable
    public String rate;

    @Option(names = "--burst", paramLabel = "N", description = "new connections at once; default 1000")
    @Nullable
    public String burst;

    @Option(names = "--limit", paramLabel = "N", description = "open connections; default 10000")
    @Nullable
    public String limit;
}
