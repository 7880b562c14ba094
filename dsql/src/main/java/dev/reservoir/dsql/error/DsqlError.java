package dev.reservoir.dsql.error;

import org.jspecify.annotations.Nullable;

/**
 * An error, classified.
 *
 * @param kind what it means
 * @param limit which limit was reached, if the kind is {@link ErrorKind#LIMIT}; else null
 * @param sqlState what the server or the driver called it; null if there is no such code
 */
public record DsqlError(
        ErrorKind kind, @Nullable Limit limit, @Nullable String sqlState) {

    /** Whether the whole transaction may be run again, as long as it was not being committed. */
    public boolean isRetryable() {
        return kind.isRetryable();
    }

    /** Its class in metrics: the kind, and of a limit which, as in {@code limit_rows}. */
    public String label() {
        return limit == null ? kind.label() : kind.label() + "_" + limit.label();
    }
}
