package dev.reservoir.cli.console;

import java.util.List;

/** Reports that a file given to a command is wrong, or cannot be read or written. The command has done nothing. */
public final class RefusedInputException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient List<String> lines;

    /** Creates the exception with one line for each mistake. */
    public RefusedInputException(List<String> lines) {
        super(String.join("\n", lines));
        this.lines = List.copyOf(lines);
    }

    public List<String> lines() {
        return lines;
    }
}
