package dev.reservoir.flightsql;

import dev.reservoir.core.util.Checks;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How one call behaves. Immutable; each method returns a changed copy.
 *
 * @param timeout bounds the whole call: the wait for a connection, the execution, and reading the result to its end;
 *     null uses the pool's default
 * @param retry whether a read is sent once more on another connection if its connection is lost; null uses the pool's
 *     setting. Statements that may write are never sent again.
 * @param cancel what happens to the statement if the caller stops waiting for it
 * @param fetchSize the most rows in a batch that the caller sees; 0 leaves the batches as the server sends them. A
 *     larger batch of the server is cut into several, without copying its values. The server does not learn of it.
 */
public record QueryOptions(
        @Nullable Duration timeout, @Nullable Boolean retry, CancelBehavior cancel, int fetchSize) {
    static final Duration TIMEOUT_MIN = Duration.ofMillis(1);
    static final Duration TIMEOUT_MAX = Duration.ofDays(30);

    private static final QueryOptions DEFAULTS = new QueryOptions(null, null, CancelBehavior.CANCEL, 0);

    /** Checks the timeout and the fetch size. */
    public QueryOptions {
        if (timeout != null) {
            Checks.nanosBetween("timeout", timeout, TIMEOUT_MIN, TIMEOUT_MAX);
        }
        Checks.between("fetchSize", fetchSize, 0, Integer.MAX_VALUE);
    }

    /** The pool's settings, unchanged. */
    public static QueryOptions defaults() {
        return DEFAULTS;
    }

    public QueryOptions withTimeout(Duration value) {
        return new QueryOptions(value, retry, cancel, fetchSize);
    }

    public QueryOptions withRetry(boolean value) {
        return new QueryOptions(timeout, value, cancel, fetchSize);
    }

    public QueryOptions withCancel(CancelBehavior value) {
        return new QueryOptions(timeout, retry, value, fetchSize);
    }

    public QueryOptions withFetchSize(int value) {
        return new QueryOptions(timeout, retry, cancel, value);
    }
}
