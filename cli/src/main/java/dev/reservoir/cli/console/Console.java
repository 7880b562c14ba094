package dev.reservoir.cli.console;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * The output streams of a command.
 *
 * @param out receives results
 * @param err receives error messages
 * @param terminal whether the output goes to a terminal, so that a person can watch it
 */
public record Console(PrintStream out, PrintStream err, boolean terminal) {
    /** Writes a result, to a file or to the terminal. */
    @FunctionalInterface
    public interface Content {
        void writeTo(Appendable to) throws IOException;
    }

    private static final String GREEN = "\033[32m";
    private static final String RED = "\033[31m";
    private static final String BOLD = "\033[1m";
    private static final String PLAIN = "\033[0m";

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

    /**
     * Colours a cell of a table that says whether something holds.
     *
     * @param cell the text of the cell
     * @param padded the text to colour
     */
    public String marked(String cell, String padded) {
        return switch (cell) {
            case "ok", "yes" -> good(padded);
            case "FAIL", "wrong", "no" -> bad(padded);
            default -> padded;
        };
    }

    /** Prints the last line of a command, OK or FAIL, and returns the exit code. */
    public int verdict(boolean holds) {
        return verdict(holds, "");
    }

    /** Prints the last line of a command, OK or FAIL with a reason, and returns the exit code. */
    public int verdict(boolean holds, String reason) {
        String rest = reason.isEmpty() ? "" : ": " + reason;
        out.println(holds ? good("OK" + rest) : bad("FAIL" + rest));
        return ExitCode.of(holds);
    }

    /** Prints in UTF-8, whatever the encoding of the terminal is. */
    public void printUtf8(Content content) throws IOException {
        PrintStream utf8 = new PrintStream(out, false, StandardCharsets.UTF_8);
        content.writeTo(utf8);
        utf8.flush();
    }

    private String in(String style, String text) {
        return hasColours() ? style + text + PLAIN : text;
    }

    public boolean hasColours() {
        return terminal && System.getenv("NO_COLOR") == null;
    }
}
