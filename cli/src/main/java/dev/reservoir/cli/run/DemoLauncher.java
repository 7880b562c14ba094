package dev.reservoir.cli.run;

import dev.reservoir.cli.console.CommandFailedException;
import dev.reservoir.cli.console.Console;
import dev.reservoir.core.util.Text;
import dev.reservoir.demo.DemoProgram;
import dev.reservoir.demo.DemoSettings;
import java.io.IOException;
import java.net.BindException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Starts the demo. Only this class knows classes of the demo. Commands must not name them in a field or a method,
 * because every run of any command inspects all commands by reflection.
 */
final class DemoLauncher {
    private DemoLauncher() {}

    /**
     * Runs a demo. Blocks until it is over.
     *
     * @param length the length of the demo; null if it runs until the user ends it
     * @param pagePort the port of the page, 0 for a free port, -1 for no page
     * @param faults whether the demo causes faults by itself
     * @param view the name of a constant of {@link DemoSettings.Output}
     */
    static void demo(@Nullable Duration length, int pagePort, boolean faults, String view, Console console) {
        boolean page = pagePort >= 0;
        DemoSettings settings = new DemoSettings(
                length,
                page,
                Math.max(0, pagePort),
                page && console.terminal(),
                faults,
                DemoSettings.Output.valueOf(view),
                console.hasColours());
        try {
            new DemoProgram(settings, console.out(), System.in).run();
        } catch (BindException taken) {
            throw new CommandFailedException("the page cannot be at port " + pagePort + " of 127.0.0.1: "
                    + taken.getMessage() + "; give another with --port, or 0 for a free one");
        } catch (IOException | RuntimeException e) {
            throw new CommandFailedException("the demo failed: " + Text.oneLine(e));
        }
    }
}
