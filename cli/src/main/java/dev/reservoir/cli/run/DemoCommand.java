package dev.reservoir.cli.run;

import dev.reservoir.cli.Main;
import dev.reservoir.cli.console.Console;
import dev.reservoir.cli.console.MisuseException;
import dev.reservoir.cli.console.Setting;
import dev.reservoir.core.util.DurationParser;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command {@code reservoir demo}. */
@Command(
        name = "demo",
        customSynopsis = "reservoir demo [OPTIONS]",
        description = {
            "Shows Reservoir and HikariCP at work side by side, on emulated Aurora DSQL clusters, live on a page.",
            "Three services on each side run workflows on a real PostgreSQL behind an emulator that rations connections as"
                    + " DSQL does, on a small scale. The page has buttons that cause faults. After a third of the time, 20 s if it has no end"
                    + " and never before 12 s, every connection is dropped without anybody asking for it. Needs nothing but this command."
        },
        footer = {
            "Examples:",
            "  reservoir demo                          until Enter or Ctrl-C; opens the page, if there is a desktop",
            "  reservoir demo --no-browser             in the terminal alone",
            "  reservoir demo --for 60s --json         for machines"
        })
public final class DemoCommand implements Callable<Integer> {
    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofHours(24);
    private static final Duration WHEN_NOBODY_LOOKS = Duration.ofSeconds(60);

    private final Console console;

    @Option(
            names = "--for",
            paramLabel = "D",
            description =
                    "how long, such as 60s or 2m; default until Enter or Ctrl-C, and 60s where the output is not a"
                            + " terminal")
    private @Nullable String length;

    @Option(names = "--no-browser", description = "no page: everything is in the terminal")
    private boolean noBrowser;

    @Option(names = "--port", paramLabel = "N", description = "the page's port on 127.0.0.1; default a free one")
    private @Nullable String port;

    @Option(names = "--no-faults", description = "drops no connection by itself")
    private boolean noFaults;

    @Option(
            names = "--plain",
            description = "a line a second instead of a picture, as when the output is not a terminal")
    private boolean plain;

    @Option(names = "--json", description = "no page, and prints the summary as JSON and nothing else")
    private boolean json;

    public DemoCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws IOException {
        Duration runs = runs(length, console.terminal() && !json);
        if (port != null && (noBrowser || json)) {
            throw new MisuseException("--port is '" + port + "', but there is no page with "
                    + (json ? "--json" : "--no-browser") + "; allowed: one of them");
        }
        int pagePort = new Setting("--port", port).port("");
        boolean page = !noBrowser && !json;
        String view = json ? "JSON" : plain || !console.terminal() ? "LINES" : "PICTURE";
        DemoLauncher.demo(runs, page ? pagePort : -1, !noFaults, view, console);
        return Main.OK;
    }

    /**
     * The length of the demo; null if it runs until the user ends it. Without a user at a terminal it always has an
     * end.
     */
    static @Nullable Duration runs(@Nullable String length, boolean somebodyLooks) {
        if (length == null) {
            return somebodyLooks ? null : WHEN_NOBODY_LOOKS;
        }
        Duration value = DurationParser.parse(length);
        if (value == null || value.compareTo(SHORTEST) < 0 || value.compareTo(LONGEST) > 0) {
            throw new MisuseException(
                    "--for is '" + length + "'; allowed: such as 60s, 2m or 1h, at least 1s, at most 24h");
        }
        return value;
    }
}
