package dev.reservoir.dsql.tx;

import dev.reservoir.dsql.error.DsqlErrors;
import java.sql.SQLException;

/**
 * The thread was interrupted while it waited to run a transaction again. No connection is held, and the thread's interrupted
 * status is set. Nothing of the transaction was committed, unless {@link #mayBeCommitted} says otherwise. The cause is the error of the last attempt.
 */
public final class InterruptedTransactionException extends SQLException {
    private static final long serialVersionUID = 1L;

    private final String operation;
    private final boolean mayBeCommitted;

    InterruptedTransactionException(String operation, int attempts, Throwable last, boolean mayBeCommitted) {
        super(
                operation + ": interrupted while waiting to run again after attempt " + attempts
                        + (mayBeCommitted ? "; an attempt may have been committed" : ""),
                DsqlErrors.stateOf(last),
                last);
        this.operation = operation;
        this.mayBeCommitted = mayBeCommitted;
    }

    /** The operation's name. */
    public String operation() {
        return operation;
    }

    /** Whether one of the attempts ended without anybody knowing whether it was committed: only of those called idempotent, or that only read. */
    public boolean mayBeCommitted() {
        return mayBeCommitted;
    }
}
