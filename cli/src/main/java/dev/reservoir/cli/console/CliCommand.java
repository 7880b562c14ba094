package dev.reservoir.cli.console;

import java.util.Map;
import java.util.concurrent.Callable;

/** A command that does something. Its options are fields, which picocli sets. Returns an exit code. */
public abstract class CliCommand implements Callable<Integer> {
    protected Console console = Console.ofProcess();

    /** The variables that supply values missing on the command line. */
    protected Map<String, String> environment = Map.of();

    /** Sets where the command runs, before it runs. */
    public final CliCommand in(Console to, Map<String, String> variables) {
        console = to;
        environment = variables;
        return this;
    }
}
