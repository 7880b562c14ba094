package dev.reservoir.cli;

import dev.reservoir.cli.console.Console;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** Calls the command as a shell would, and keeps what it printed. */
public final class Shell {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final Map<String, String> environment = new HashMap<>();
    private final boolean terminal;

    private Shell(boolean terminal) {
        this.terminal = terminal;
    }

    /** A shell whose output goes to a file or a pipe. */
    public static Shell piped() {
        return new Shell(false);
    }

    /** A shell whose output goes to a terminal. */
    public static Shell terminal() {
        return new Shell(true);
    }

    public Console console() {
        return new Console(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                terminal);
    }

    /** Sets a variable. The command does not see the variables of this process. */
    public Shell with(String variable, String value) {
        environment.put(variable, value);
        return this;
    }

    public int run(String... args) {
        return Main.run(console(), environment, args);
    }

    public String out() {
        return out.toString(StandardCharsets.UTF_8).replace(System.lineSeparator(), "\n");
    }

    public String err() {
        return err.toString(StandardCharsets.UTF_8).replace(System.lineSeparator(), "\n");
    }

    String lastLine() {
        return out().strip().lines().reduce("", (before, line) -> line);
    }
}
