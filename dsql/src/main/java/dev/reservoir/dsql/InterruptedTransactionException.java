package dev.reservoir.dsql;

import java.sql.SQLException;

/**
 * The thread was interrupted while it waited to run a transaction again. Nothing of the transaction was committed, no connection is
 * held, and the thread's interrupted status is set. The cause is the error of the last attempt.
 */
public final class InterruptedTransactionException extends SQLException {
    private static final long serialVersionUID = 1L;

    private final String operation;

    InterruptedTransactionException(String operation, int attempts, Throwable last) {
        super(
                operation + ": interrupted while waiting to run again after attempt " + attempts,
                DsqlErrors.stateOf(last),
                last);
        this.operation = operation;
    }

    /** The operation's name. */
    public String operation() {
        return operation;
    }
}
