package dev.reservoir.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What a cluster rations. The defaults are Aurora DSQL's. */
final class LimitOptions {
    @Option(names = "--rate", paramLabel = "N", description = "new connections a second; default 100")
    @Nullable
    String rate;

    @Option(names = "--burst", paramLabel = "N", description = "new connections at once; default 1000")
    @Nullable
    String burst;

    @Option(names = "--limit", paramLabel = "N", description = "open connections; default 10000")
    @Nullable
    String limit;
}
