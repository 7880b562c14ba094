package dev.reservoir.dsql.tx;

import dev.reservoir.core.util.Text;
import dev.reservoir.dsql.error.DsqlError;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Reports that a transaction is not run again, because it has used all of its retries or would exceed its deadline.
 * Each attempt failed with a retryable error. Nothing was committed unless {@link #mayBeCommitted} is true, which is
 * possible only for idempotent or read-only transactions. The cause is the last error, the earlier ones are suppressed,
 * and the SQLSTATE is that of the last error.
 */
public final class RetriesExhaustedException extends SQLException {
    private static final long serialVersionUID = 1L;

    private final String operation;
    private final int attempts;
    private final Duration elapsed;
    private final boolean mayBeCommitted;

    @SuppressWarnings("serial") // A list of the JDK, which is serializable.
    private final List<Duration> backoffs;

    RetriesExhaustedException(
            String operation,
            String limit,
            Duration elapsed,
            List<Duration> backoffs,
            Throwable last,
            DsqlError error,
            boolean mayBeCommitted) {
        super(
                operation + ": gave up after " + effort(elapsed, backoffs) + " (" + limit + "). Last error: "
                        + error.label()
                        + (error.sqlState() == null ? "" : " " + error.sqlState()) + ", " + last.getMessage()
                        + (mayBeCommitted
                                ? ". An attempt may have been committed: check whether its changes are there before you run it again."
                                : ". Nothing was committed; run it again later."),
                error.sqlState(),
                last);
        this.operation = operation;
        this.attempts = backoffs.size() + 1;
        this.elapsed = elapsed;
        this.backoffs = List.copyOf(backoffs);
        this.mayBeCommitted = mayBeCommitted;
    }

    private static String effort(Duration elapsed, List<Duration> backoffs) {
        String tried = backoffs.isEmpty() ? "1 attempt in " : backoffs.size() + 1 + " attempts in ";
        String waited = backoffs.stream().map(one -> Text.nanos(one.toNanos())).collect(Collectors.joining(", "));
        return tried + Text.nanos(elapsed.toNanos()) + (waited.isEmpty() ? "" : ", waited " + waited);
    }

    /** The operation's name. */
    public String operation() {
        return operation;
    }

    /** The number of attempts. */
    public int attempts() {
        return attempts;
    }

    /** Whether it is unknown if one of the attempts was committed. */
    public boolean mayBeCommitted() {
        return mayBeCommitted;
    }

    /** The total time of all attempts and pauses. */
    public Duration elapsed() {
        return elapsed;
    }

    /** The pauses before the second and each further attempt. */
    public List<Duration> backoffs() {
        return backoffs;
    }
}
