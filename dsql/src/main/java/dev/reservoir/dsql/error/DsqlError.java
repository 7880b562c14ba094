package dev.reservoir.dsql.error;

import org.jspecify.annotations.Nullable;

/**
 * A classified error.
 *
 * @param kind the kind of the error
 * @param limit the limit that was reached if the kind is {@link ErrorKind#LIMIT}, else null
 * @param sqlState the SQLSTATE that the server or the driver reported, or null if there is none
 */
public record DsqlError(
        ErrorKind kind, @Nullable Limit limit, @Nullable String sqlState) {

    /** Whether the whole transaction may be run again, provided that it was not being committed. */
    public boolean isRetryable() {
        return kind.isRetryable();
    }

    /** The label in metrics: the kind, followed by the limit if there is one, as in {@code limit_rows}. */
    public String label() {
        return limit == null ? kind.label() : kind.label() + "_" + limit.label();
    }
}
