package dev.reservoir.cli;

/** A command could not do what it was asked for. */
final class Failed extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** The message is one line that says what failed and what to do about it. */
    Failed(String message) {
        super(message);
    }
}
