package dev.reservoir.cli.console;

/** Reports that a command was called with something that it does not allow. The command has done nothing. */
public final class MisuseException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** Creates the exception with a message that names the option or the word, its value, and what is allowed. */
    public MisuseException(String message) {
        super(message);
    }
}
