package dev.reservoir.cli.console;

import java.util.List;

/** A command was given a file that is wrong, or that cannot be read or written. Nothing has been done. */
public final class RefusedInputException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient List<String> lines;

    /** Each line says one thing that is wrong. */
    public RefusedInputException(List<String> lines) {
        super(String.join("\n", lines));
        this.lines = List.copyOf(lines);
    }

    public List<String> lines() {
        return lines;
    }
}
