package dev.reservoir.cli.console;

/** A command was called with something that it does not allow. Nothing has been done. */
public final class MisuseException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** The message names the option or the word, its value, and what is allowed. */
    public MisuseException(String message) {
        super(message);
    }
}
