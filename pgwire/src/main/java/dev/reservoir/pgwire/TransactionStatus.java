package dev.reservoir.pgwire;

/** The status of a session's transaction, which the client gets after every request. */
public enum TransactionStatus {
    /** No transaction is open. */
    IDLE('I'),
    IN_TRANSACTION('T'),
    /** The transaction has failed and can only be rolled back. */
    FAILED('E');

    private final char letter;

    TransactionStatus(char letter) {
        this.letter = letter;
    }

    /** The letter that the protocol has for it. */
    public char letter() {
        return letter;
    }
}
