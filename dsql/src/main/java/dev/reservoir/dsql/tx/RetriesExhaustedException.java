package dev.reservoir.dsql.tx;

import dev.reservoir.core.util.Text;
import dev.reservoir.dsql.error.DsqlError;
import dev.reservoir.dsql.error.DsqlErrors;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A transaction that failed as often as it may be tried, each time with an error after which it could be run again. Nothing of it was
 * committed, unless {@link #mayBeCommitted} says otherwise, as it only can of transactions that were called idempotent or that only read. The
 * cause is the last error, the earlier ones are suppressed, and the SQLSTATE is that of the last.
 */
public final class RetriesExhaustedException extends SQLException {
    private static final long serialVersionUID = 1L;

    private final String operation;
    private final int attempts;
    private final Duration elapsed;
    private final boolean mayBeCommitted;

    @SuppressWarnings("serial") // A list of the JDK's, which can be serialized.
    private final List<Duration> backoffs;

    RetriesExhaustedException(
            String operation,
            String why,
            Duration elapsed,
            List<Duration> backoffs,
            Throwable last,
            DsqlError error,
            boolean mayBeCommitted) {
        super(message(operation, why, elapsed, backoffs, last, error, mayBeCommitted), DsqlErrors.stateOf(last), last);
        this.operation = operation;
        this.attempts = backoffs.size() + 1;
        this.elapsed = elapsed;
        this.backoffs = List.copyOf(backoffs);
        this.mayBeCommitted = mayBeCommitted;
    }

    private static String message(
            String operation,
            String why,
            Duration elapsed,
            List<Duration> backoffs,
            Throwable last,
            DsqlError error,
            boolean mayBeCommitted) {
        int attempts = backoffs.size() + 1;
        String waited = backoffs.isEmpty()
                ? ""
                : ", waited "
                        + backoffs.stream()
                                .map(one -> Text.nanos(one.toNanos()))
                                .collect(Collectors.joining(", "));
        return operation + ": given up after " + attempts + (attempts == 1 ? " attempt" : " attempts") + " in "
                + Text.nanos(elapsed.toNanos()) + waited + " (" + why + "). Last error: " + error.label()
                + (error.sqlState() == null ? "" : " " + error.sqlState()) + ", " + last.getMessage()
                + (mayBeCommitted
                        ? ". An attempt may have been committed: look whether its changes are there before it is run again."
                        : ". Run it again later; it left nothing behind.");
    }

    /** The operation's name. */
    public String operation() {
        return operation;
    }

    /** How often it was tried. */
    public int attempts() {
        return attempts;
    }

    /** Whether one of the attempts ended without anybody knowing whether it was committed. */
    public boolean mayBeCommitted() {
        return mayBeCommitted;
    }

    /** How long all of it took, waits included. */
    public Duration elapsed() {
        return elapsed;
    }

    /** How long it waited before each further attempt. */
    public List<Duration> backoffs() {
        return backoffs;
    }
}
