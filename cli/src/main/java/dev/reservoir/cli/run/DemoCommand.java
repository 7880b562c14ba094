package dev.reservoir.cli.run;

import dev.reservoir.cli.console.CliCommand;
import dev.reservoir.cli.console.CommandFailedException;
import dev.reservoir.cli.console.ExitCode;
import dev.reservoir.cli.console.MisuseException;
import dev.reservoir.cli.console.Setting;
import dev.reservoir.core.util.Text;
import dev.reservoir.demo.DemoProgram;
import dev.reservoir.demo.DemoSettings;
import dev.reservoir.demo.DemoSettings.Output;
import java.io.IOException;
import java.net.BindException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command {@code reservoir demo}. */
@Command(
        customSynopsis = "reservoir demo [OPTIONS]",
        description = {
            "Shows Reservoir and HikariCP at work side by side, on emulated Aurora DSQL clusters, live on a page.",
            "Three services on each side run workflows on a real PostgreSQL, behind an emulator that limits"
                    + " connections as DSQL does, on a small scale. The page has buttons that cause faults. The"
                    + " demo itself drops every connection once: after a third of its time but not before 12 s, or"
                    + " after 20 s if it has no end. Needs nothing but this command."
        },
        footer = {
            "Examples:",
            "  reservoir demo                          until Enter or Ctrl-C; opens the page if there is a desktop",
            "  reservoir demo --no-browser             in the terminal only",
            "  reservoir demo --for 60s --json         for programs"
        })
public final class DemoCommand extends CliCommand {
    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofHours(24);
    private static final Duration WHEN_NOBODY_LOOKS = Duration.ofSeconds(60);

    @Option(
            names = "--for",
            paramLabel = "D",
            description = "how long it runs, such as 60s or 2m; default: until Enter or Ctrl-C, or 60s if the output is"
                    + " not a terminal")
    private @Nullable String length;

    @Option(names = "--no-browser", description = "serves no page; prints everything to the terminal")
    private boolean noBrowser;

    @Option(names = "--port", paramLabel = "N", description = "the page's port on 127.0.0.1; default: a free one")
    private @Nullable String port;

    @Option(names = "--no-faults", description = "causes no fault by itself")
    private boolean noFaults;

    @Option(
            names = "--plain",
            description = "prints a line per second instead of a picture, as when the output is not a terminal")
    private boolean plain;

    @Option(names = "--json", description = "serves no page; prints the summary as JSON and nothing else")
    private boolean json;

    @Override
    public Integer call() {
        Duration runs = runs(length, console.terminal() && !json);
        boolean page = !noBrowser && !json;
        if (port != null && !page) {
            throw new MisuseException("--port is '" + port + "', but there is no page with "
                    + (json ? "--json" : "--no-browser") + "; allowed: one of them");
        }
        int pagePort = new Setting("--port", port).port("");
        Output view = json ? Output.JSON : plain || !console.terminal() ? Output.LINES : Output.PICTURE;
        DemoSettings settings = new DemoSettings(
                runs, page, pagePort, page && console.terminal(), !noFaults, view, console.hasColours());
        try {
            new DemoProgram(settings, console.out(), System.in).run();
        } catch (BindException taken) {
            throw new CommandFailedException("the page cannot be at port " + pagePort + " of 127.0.0.1: "
                    + taken.getMessage() + "; give another with --port, or 0 for a free one");
        } catch (IOException | RuntimeException e) {
            throw new CommandFailedException("the demo failed: " + Text.oneLine(e));
        }
        return ExitCode.OK;
    }

    /**
     * The length of the demo; null if it runs until the user ends it. Without a user at a terminal it always has an
     * end.
     */
    static @Nullable Duration runs(@Nullable String length, boolean somebodyLooks) {
        if (length == null) {
            return somebodyLooks ? null : WHEN_NOBODY_LOOKS;
        }
        return new Setting("--for", length).duration(SHORTEST, LONGEST);
    }
}
