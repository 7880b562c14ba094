package dev.reservoir.dsql.error;

import dev.reservoir.dsql.tx.Transactions;
import java.util.Locale;

/** What an error means for whoever has to go on after it. {@link DsqlErrors} tells which kind an exception is of. */
public enum ErrorKind {
    /** Another transaction changed the same rows first (40001, OC000). Nothing was done; the transaction may be run again. */
    CONFLICT(true),
    /** The schema was changed meanwhile (40001, OC001). Nothing was done; the transaction may be run again. */
    SCHEMA_CHANGED(true),
    /** A fenced update found another token: somebody else is the owner now. To run it again would not help. */
    CONDITION_FAILED(false),
    /** The database does not know this statement or feature (0A000). */
    UNSUPPORTED(false),
    /** A limit was reached; {@link DsqlError#limit} says which. */
    LIMIT(false),
    /**
     * The server is unavailable for a moment (XX000). The connection stays good and the transaction may be run again, unless
     * it was being committed: then it is not known whether it was.
     */
    UNAVAILABLE(true),
    /** The token, password or role was not accepted. */
    AUTH(false),
    /** The connection was lost, closed or could not be had. {@link Transactions} run again what lost it before the commit. */
    CONNECTION(false),
    /** Everything else: the same would happen again. */
    PERMANENT(false);

    private final boolean retryable;

    ErrorKind(boolean retryable) {
        this.retryable = retryable;
    }

    /** Whether the whole transaction may be run again, as long as it was not being committed. */
    public boolean isRetryable() {
        return retryable;
    }

    /** Its name in metrics and messages, such as {@code schema_changed}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
