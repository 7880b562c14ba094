package dev.reservoir.cli.console;

import java.io.PrintStream;

/**
 * Where a command writes.
 *
 * @param out results
 * @param err what is wrong
 * @param terminal whether somebody is looking at the results while they come
 */
public record Console(PrintStream out, PrintStream err, boolean terminal) {
    private static final String GREEN = "\033[32m";
    private static final String RED = "\033[31m";
    private static final String BOLD = "\033[1m";
    private static final String PLAIN = "\033[0m";

    /** The process's own. */
    public static Console ofProcess() {
        return new Console(System.out, System.err, Boolean.getBoolean("reservoir.terminal"));
    }

    /** The same without colours and without anything that is redrawn. */
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
