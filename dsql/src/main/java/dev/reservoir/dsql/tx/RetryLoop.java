package dev.reservoir.dsql.tx;

import dev.reservoir.core.util.Causes;
import dev.reservoir.core.util.DoublingPause;
import dev.reservoir.core.util.Text;
import dev.reservoir.dsql.error.DsqlError;
import dev.reservoir.dsql.error.DsqlErrors;
import dev.reservoir.dsql.error.ErrorKind;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs one transaction until it succeeds or must not be run again. Knows no connections. Used by one thread, once. */
final class RetryLoop<T extends @Nullable Object> {
    private static final Logger log = LoggerFactory.getLogger(Transactions.class);

    private final Retries.Builder policy;
    private final String operation;
    private final Retries.Attempt<T> attempt;
    private final @Nullable BooleanSupplier lostItsConnection;
    private final long begunNanos;

    /** The errors of the attempts so far. */
    private final List<Exception> errors = new ArrayList<>();

    /** The pauses between the attempts so far. */
    private final List<Duration> backoffs = new ArrayList<>();

    /** Whether one of the attempts may have been committed. */
    private boolean mayBeCommitted;

    /**
     * Creates a loop.
     *
     * @param lostItsConnection whether the last attempt lost its connection before the commit; null for attempts that
     *     do not report their progress, and that throw no {@link IndeterminateCommitException}
     */
    RetryLoop(
            Retries.Builder policy,
            String operation,
            Retries.Attempt<T> attempt,
            @Nullable BooleanSupplier lostItsConnection) {
        this.policy = policy;
        this.operation = operation;
        this.attempt = attempt;
        this.lostItsConnection = lostItsConnection;
        this.begunNanos = policy.nanos.getAsLong();
    }

    /** Runs the attempts. Blocks, also for the pauses. */
    T run() throws Exception {
        boolean committed = false;
        try {
            T result = attempts();
            committed = true;
            return result;
        } finally {
            boolean done = committed;
            long elapsed = elapsedNanos();
            notifyListeners(listener -> listener.ended(operation, done, elapsed));
        }
    }

    private T attempts() throws Exception {
        while (true) {
            try {
                return attempt.run();
            } catch (Exception e) {
                pauseOrThrow(e);
            }
        }
    }

    /** Pauses if the attempt may be followed by another. Otherwise it throws the error that ends the transaction. */
    private void pauseOrThrow(Exception e) throws Exception {
        int attempts = backoffs.size() + 1;
        DsqlError error = DsqlErrors.of(e);
        notifyListeners(listener -> listener.failed(operation, attempts, error, e));
        if (!mayRunAgain(e, error)) {
            throw e;
        }
        mayBeCommitted |= isIndeterminate(e, error);
        long elapsed = elapsedNanos();
        long backoff = backoffNanos(attempts);
        String limit = limitReached(attempts, elapsed + backoff);
        if (limit != null) {
            notifyListeners(listener -> listener.exhausted(operation, attempts));
            RetriesExhaustedException end = new RetriesExhaustedException(
                    operation, limit, Duration.ofNanos(elapsed), backoffs, e, error, mayBeCommitted);
            errors.forEach(end::addSuppressed);
            throw end;
        }
        errors.add(e);
        notifyListeners(listener -> listener.retrying(operation, attempts, backoff));
        try {
            policy.sleeper.sleep(backoff);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new InterruptedTransactionException(operation, attempts, e, error, mayBeCommitted);
        }
        backoffs.add(Duration.ofNanos(backoff));
    }

    private boolean mayRunAgain(Exception e, DsqlError error) {
        if (Causes.contain(e, RetriesExhaustedException.class)
                || Causes.contain(e, InterruptedTransactionException.class)) {
            // An inner transaction has used its retries. Running the outer one again would multiply the attempts.
            return false;
        }
        if (Causes.contain(e, IndeterminateCommitException.class)) {
            return policy.idempotent;
        }
        return switch (error.kind()) {
            case CONFLICT, SCHEMA_CHANGED -> true;
            case UNAVAILABLE -> lostItsConnection != null || policy.idempotent;
            case CONNECTION ->
                policy.retriesLostConnections
                        && (lostItsConnection == null
                                ? policy.idempotent && !isOfThePool(e)
                                : lostItsConnection.getAsBoolean());
            default -> false;
        };
    }

    /** Whether the pool had no connection to offer. Another try would only make other callers wait longer. */
    private static boolean isOfThePool(Exception e) {
        return Causes.contain(e, SQLTransientConnectionException.class)
                || Causes.contain(e, SQLNonTransientConnectionException.class);
    }

    /** Whether this attempt may have been committed. Without progress, the server may be lost in the commit. */
    private boolean isIndeterminate(Exception e, DsqlError error) {
        boolean lost = error.kind() == ErrorKind.UNAVAILABLE || error.kind() == ErrorKind.CONNECTION;
        return Causes.contain(e, IndeterminateCommitException.class) || (lostItsConnection == null && lost);
    }

    /** Returns the limit that forbids another attempt, or null if none does. */
    private @Nullable String limitReached(int attempts, long nextBeginsNanos) {
        if (attempts > policy.retries) {
            return "retries " + policy.retries;
        }
        Duration deadline = policy.deadline;
        if (deadline != null && nextBeginsNanos >= deadline.toNanos()) {
            return "deadline " + Text.nanos(deadline.toNanos()) + ", the next attempt would begin after it";
        }
        return null;
    }

    /** Returns the pause after this failed attempt. It doubles each time, has jitter, and never exceeds the cap. */
    private long backoffNanos(int attempts) {
        long cap = policy.cap.toNanos();
        long whole = DoublingPause.nanos(attempts - 1, policy.base.toNanos(), cap);
        return Math.min(cap, (long) (whole * (1 + policy.jitter * (2 * policy.random.nextDouble() - 1))));
    }

    private long elapsedNanos() {
        return policy.nanos.getAsLong() - begunNanos;
    }

    private void notifyListeners(Consumer<TransactionListener> event) {
        event.accept(policy.metrics.listener());
        TransactionListener listener = policy.listener;
        if (listener != null) {
            try {
                event.accept(listener);
            } catch (RuntimeException e) {
                log.warn("Reservoir: transaction listener failed  error=\"{}\"", Text.oneLine(e));
            }
        }
    }
}
