package dev.reservoir.cli.console;

/** A command could not do what it was asked for. */
public final class CommandFailedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** The message is one line that says what failed and what to do about it. */
    public CommandFailedException(String message) {
        super(message);
    }
}
