package dev.reservoir.dsql.tx;

import dev.reservoir.dsql.error.DsqlError;
import java.sql.SQLException;

/**
 * Reports that the thread was interrupted during a pause before the next attempt of a transaction. The thread holds no
 * connection, and its interrupted status is set. Nothing was committed unless {@link #mayBeCommitted} is true. The
 * cause is the error of the last attempt.
 */
public final class InterruptedTransactionException extends SQLException {
    private static final long serialVersionUID = 1L;

    private final String operation;
    private final boolean mayBeCommitted;

    InterruptedTransactionException(
            String operation, int attempts, Throwable last, DsqlError error, boolean mayBeCommitted) {
        super(
                operation + ": interrupted while waiting to run again after attempt " + attempts
                        + (mayBeCommitted ? "; an attempt may have been committed" : ""),
                error.sqlState(),
                last);
        this.operation = operation;
        this.mayBeCommitted = mayBeCommitted;
    }

    /** The operation's name. */
    public String operation() {
        return operation;
    }

    /** Whether an attempt may have been committed. True only for transactions that are idempotent or read-only. */
    public boolean mayBeCommitted() {
        return mayBeCommitted;
    }
}
