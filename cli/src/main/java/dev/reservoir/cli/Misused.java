package dev.reservoir.cli;

/** A command was called with something that it does not allow. Nothing has been done. */
final class Misused extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** The message names the option or the word, its value, and what is allowed. */
    Misused(String message) {
        super(message);
    }
}
