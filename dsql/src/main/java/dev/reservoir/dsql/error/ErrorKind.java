package dev.reservoir.dsql.error;

import dev.reservoir.dsql.tx.Transactions;
import java.util.Locale;

/** The meaning of an error for the code that handles it. {@link DsqlErrors} finds the kind of an exception. */
public enum ErrorKind {
    /** Another transaction changed the same rows first (40001, OC000). Nothing was changed; it may be run again. */
    CONFLICT(true),
    /** The schema changed during the transaction (40001, OC001). Nothing was changed; it may be run again. */
    SCHEMA_CHANGED(true),
    /** A fenced update found another token, so another process is the owner now. Running it again would not help. */
    CONDITION_FAILED(false),
    /** The database does not support this statement or feature (0A000). */
    UNSUPPORTED(false),
    /** A limit was reached. {@link DsqlError#limit} names it. */
    LIMIT(false),
    /**
     * The server is unavailable for a moment (XX000). The connection remains usable and the transaction may be run
     * again, unless it was being committed. In that case it is unknown whether it was committed.
     */
    UNAVAILABLE(true),
    /** The server did not accept the token, password or role. */
    AUTH(false),
    /**
     * The connection was lost or closed, could not be opened, or the pool had none in time. {@link Transactions} runs a
     * transaction again that lost its connection before the commit.
     */
    CONNECTION(false),
    /** Every other error. Running the transaction again would fail in the same way. */
    PERMANENT(false);

    private final boolean retryable;

    ErrorKind(boolean retryable) {
        this.retryable = retryable;
    }

    /** Whether the whole transaction may be run again, provided that it was not being committed. */
    public boolean isRetryable() {
        return retryable;
    }

    /** The name in metrics and messages, such as {@code schema_changed}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
