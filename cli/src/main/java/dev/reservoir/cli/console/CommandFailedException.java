package dev.reservoir.cli.console;

/** Reports that a command could not do its work. */
public final class CommandFailedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** Creates the exception with a one-line message that says what failed and what to do about it. */
    public CommandFailedException(String message) {
        super(message);
    }
}
