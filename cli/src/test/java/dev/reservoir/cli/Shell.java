package dev.reservoir.cli;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** Calls the command as a shell would, and keeps what it printed. */
final class Shell {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final Map<String, String> environment = new HashMap<>();
    private final boolean terminal;

    private Shell(boolean terminal) {
        this.terminal = terminal;
    }

    /** One whose output goes to a file or a pipe. */
    static Shell piped() {
        return new Shell(false);
    }

    /** One at which somebody is looking. */
    static Shell terminal() {
        return new Shell(true);
    }

    Console console() {
        return new Console(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                terminal);
    }

    /** Sets a variable; others of this process are not seen. */
    Shell with(String variable, String value) {
        environment.put(variable, value);
        return this;
    }

    int run(String... args) {
        return Main.run(console(), environment, args);
    }

    String out() {
        return out.toString(StandardCharsets.UTF_8).replace(System.lineSeparator(), "\n");
    }

    String err() {
        return err.toString(StandardCharsets.UTF_8).replace(System.lineSeparator(), "\n");
    }

    String lastLine() {
        return out().strip().lines().reduce("", (before, line) -> line);
    }
}
