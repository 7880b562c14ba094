package dev.reservoir.cli.console;

import java.io.PrintStream;

/**
 * The output streams of a command.
 *
 * @param out receives results
 * @param err receives error messages
 * @param terminal whether the output goes to a terminal, so that somebody can watch it
 */
public record Console(PrintStream out, PrintStream err, boolean terminal) {
    private static final String GREEN = "\033[32m";
    private static final String RED = "\033[31m";
    private static final String BOLD = "\033[1m";
    private static final String PLAIN = "\033[0m";

    /** The streams of this process. */
    public static Console ofProcess() {
        return new Console(System.out, System.err, Boolean.getBoolean("reservoir.terminal"));
    }

    /** A copy without colours and without output that is redrawn. */
    public Console plain() {
        return new Console(out, err, false);
    }

    public String good(String text) {
        return in(GREEN, text);
    }

    public String bad(String text) {
        return in(RED, text);
    }

    public String strong(String text) {
        return in(BOLD, text);
    }

    private String in(String style, String text) {
        return hasColours() ? style + text + PLAIN : text;
    }

    public boolean hasColours() {
        return terminal && System.getenv("NO_COLOR") == null;
    }
}
