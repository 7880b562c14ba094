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
 * Starts the demo. The only class here that knows of it: commands name no such class in a field or a method, since they are looked into
 * whenever any command runs.
 */
final class DemoLauncher {
    private DemoLauncher() {}

    /**
     * Runs a demo. Blocks until it is over.
     *
     * @param length how long; null for until somebody ends it
     * @param pagePort the page's port, 0 for a free one, -1 for no page
     * @param view one of {@link DemoSettings.View}
     */
    static void demo(@Nullable Duration length, int pagePort, boolean faults, String view, Console console) {
        boolean page = pagePort >= 0;
        DemoSettings settings = new DemoSettings(
                length,
                page,
                Math.max(0, pagePort),
                page && console.terminal(),
                faults,
                DemoSettings.View.valueOf(view),
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
