package dev.reservoir.dsql.tx;

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
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The retry policy: when a whole transaction is run again, how often and after what pause. Knows nothing of
 * connections; {@link Transactions}, or the caller of {@link #call}, begins and commits. Never repeats a transaction
 * that may have been committed, unless it is declared idempotent. Immutable, and safe for any number of threads.
 */
public final class Retries {
    private static final Logger log = LoggerFactory.getLogger(Transactions.class);

    /** Most causes examined. It ends a circular chain. */
    private static final int CAUSES_MAX = 50;

    private final Builder given;

    private Retries(Builder given) {
        this.given = given;
    }

    /**
     * Returns the default policy: 5 retries, with a pause of 100 ms before the first. Each further pause is twice as
     * long, up to 5 s, and varies at random by 25 %.
     */
    public static Retries defaults() {
        return builder().build();
    }

    /** Returns a builder with the default policy. */
    public static Builder builder() {
        return new Builder();
    }

    /** One run of a transaction from begin to commit. */
    @FunctionalInterface
    public interface Attempt<T extends @Nullable Object> {
        /**
         * Runs the transaction. If it throws, the transaction was rolled back, or the exception says that this is
         * unknown.
         */
        T run() throws Exception;
    }

    /** Waits for a pause to pass. */
    @FunctionalInterface
    public interface Sleeper {
        /** Blocks the thread for this time. */
        void sleep(long nanos) throws InterruptedException;
    }

    /**
     * Returns the same policy for idempotent transactions. These are also run again if it is unknown whether a commit
     * succeeded. Does not block.
     */
    public Retries idempotent() {
        return new Builder(given).idempotent(true).build();
    }

    /** Returns the same policy with another deadline. Does not block. */
    public Retries within(Duration deadline) {
        return new Builder(given).deadline(deadline).build();
    }

    /** The metrics that count the outcomes of transactions. */
    public TransactionMetrics metrics() {
        return given.metrics;
    }

    /**
     * Runs an attempt until it succeeds. It is for callers that begin and commit themselves, as frameworks do. Blocks,
     * also for the pauses. This method does not know whether an attempt failed at its commit. So if the server is
     * unavailable, it runs the attempt again only if the policy is {@link #idempotent}. {@link Transactions} has that
     * knowledge.
     *
     * @throws RetriesExhaustedException if the last attempt failed with a retryable error
     * @throws InterruptedTransactionException if the thread was interrupted during a pause
     * @throws Exception any other error of an attempt, unchanged
     */
    public <T extends @Nullable Object> T call(String operation, Attempt<T> attempt) throws Exception {
        return call(operation, attempt, null);
    }

    /** Does the same for attempts that report their progress. The progress is null for attempts that do not. */
    <T extends @Nullable Object> T call(String operation, Attempt<T> attempt, @Nullable Progress progress)
            throws Exception {
        long begunNanos = given.nanos.getAsLong();
        boolean committed = false;
        try {
            T result = loop(operation, attempt, progress, begunNanos);
            committed = true;
            return result;
        } finally {
            boolean done = committed;
            long elapsed = given.nanos.getAsLong() - begunNanos;
            tell(listener -> listener.ended(operation, done, elapsed));
        }
    }

    private <T extends @Nullable Object> T loop(
            String operation, Attempt<T> attempt, @Nullable Progress progress, long begunNanos) throws Exception {
        List<Exception> errors = new ArrayList<>();
        List<Duration> backoffs = new ArrayList<>();
        boolean mayBeCommitted = false;
        while (true) {
            try {
                return attempt.run();
            } catch (Exception e) {
                int number = backoffs.size() + 1;
                DsqlError error = DsqlErrors.of(e);
                tell(listener -> listener.failed(operation, number, error, e));
                if (!mayRunAgain(e, error, progress)) {
                    throw e;
                }
                errors.add(e);
                mayBeCommitted |= isIndeterminate(e, error, progress);
                long elapsed = given.nanos.getAsLong() - begunNanos;
                long backoff = backoff(number);
                String stop = whyToStop(number, elapsed, backoff);
                if (stop != null) {
                    tell(listener -> listener.exhausted(operation, number));
                    throw exhausted(operation, stop, elapsed, backoffs, errors, error, mayBeCommitted);
                }
                tell(listener -> listener.retrying(operation, number, backoff));
                pause(operation, number, backoff, e, mayBeCommitted);
                backoffs.add(Duration.ofNanos(backoff));
            }
        }
    }

    private boolean mayRunAgain(Exception e, DsqlError error, @Nullable Progress progress) {
        if (isOf(e, RetriesExhaustedException.class) || isOf(e, InterruptedTransactionException.class)) {
            // An inner transaction has used its retries. Running the outer one again would multiply the attempts.
            return false;
        }
        if (isOf(e, IndeterminateCommitException.class)) {
            return given.idempotent;
        }
        return switch (error.kind()) {
            case CONFLICT, SCHEMA_CHANGED -> true;
            case UNAVAILABLE -> progress != null || given.idempotent;
            case CONNECTION ->
                given.retriesLostConnections
                        && (progress == null ? given.idempotent && !isOfThePool(e) : progress.lostItsConnection());
            default -> false;
        };
    }

    /**
     * Whether the pool had no connection to offer. The caller has waited already, and another try would make other
     * callers wait longer.
     */
    private static boolean isOfThePool(Exception e) {
        return isOf(e, SQLTransientConnectionException.class) || isOf(e, SQLNonTransientConnectionException.class);
    }

    /**
     * Whether this attempt may have been committed. Without progress information, a lost server may have been lost
     * during the commit.
     */
    private static boolean isIndeterminate(Exception e, DsqlError error, @Nullable Progress progress) {
        boolean lost = error.kind() == ErrorKind.UNAVAILABLE || error.kind() == ErrorKind.CONNECTION;
        return isOf(e, IndeterminateCommitException.class) || (progress == null && lost);
    }

    private static boolean isOf(Throwable error, Class<? extends Throwable> type) {
        Throwable cause = error;
        for (int i = 0; i < CAUSES_MAX && cause != null; i++) {
            if (type.isInstance(cause)) {
                return true;
            }
            cause = cause.getCause();
        }
        return false;
    }

    /** Whether the first error is the second, or was caused by it. */
    static boolean isCausedBy(@Nullable Throwable error, Throwable other) {
        Throwable cause = error;
        for (int i = 0; i < CAUSES_MAX && cause != null; i++) {
            if (cause == other) {
                return true;
            }
            cause = cause.getCause();
        }
        return false;
    }

    private @Nullable String whyToStop(int attempts, long elapsedNanos, long backoffNanos) {
        if (attempts > given.retries) {
            return "retries " + given.retries;
        }
        Duration deadline = given.deadline;
        if (deadline != null && elapsedNanos + backoffNanos >= deadline.toNanos()) {
            return "deadline " + Text.nanos(deadline.toNanos()) + ", the next attempt would begin after it";
        }
        return null;
    }

    /** Returns the pause after this failed attempt. It doubles each time, has jitter, and never exceeds the cap. */
    private long backoff(int attempt) {
        long cap = given.cap.toNanos();
        long whole = DoublingPause.nanos(attempt - 1, given.base.toNanos(), cap);
        return Math.min(cap, (long) (whole * (1 + given.jitter * (2 * given.random.nextDouble() - 1))));
    }

    private void pause(String operation, int attempts, long nanos, Exception last, boolean mayBeCommitted)
            throws InterruptedTransactionException {
        try {
            given.sleeper.sleep(nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedTransactionException(operation, attempts, last, mayBeCommitted);
        }
    }

    private static RetriesExhaustedException exhausted(
            String operation,
            String why,
            long elapsedNanos,
            List<Duration> backoffs,
            List<Exception> errors,
            DsqlError error,
            boolean mayBeCommitted) {
        Exception last = errors.get(errors.size() - 1);
        RetriesExhaustedException end = new RetriesExhaustedException(
                operation, why, Duration.ofNanos(elapsedNanos), backoffs, last, error, mayBeCommitted);
        errors.subList(0, errors.size() - 1).forEach(end::addSuppressed);
        return end;
    }

    private void tell(Consumer<TransactionListener> what) {
        what.accept(given.metrics);
        TransactionListener listener = given.listener;
        if (listener != null) {
            try {
                what.accept(listener);
            } catch (RuntimeException e) {
                log.warn("Reservoir: transaction listener failed  error=\"{}\"", Text.oneLine(e));
            }
        }
    }

    /**
     * The progress of an attempt that begins and commits itself, and that throws {@link IndeterminateCommitException}.
     */
    @FunctionalInterface
    interface Progress {
        /** Whether the last attempt had a connection and lost it before the commit. */
        boolean lostItsConnection();
    }

    /** Collects the settings of a policy. No method blocks. */
    public static final class Builder {
        private int retries = 5;
        private Duration base = Duration.ofMillis(100);
        private Duration cap = Duration.ofSeconds(5);
        private double jitter = 0.25;
        private @Nullable Duration deadline;
        private boolean idempotent;
        private boolean retriesLostConnections = true;
        private TransactionMetrics metrics = new TransactionMetrics();
        private @Nullable TransactionListener listener;
        private LongSupplier nanos = System::nanoTime;
        private Sleeper sleeper = TimeUnit.NANOSECONDS::sleep;
        private RandomGenerator random = () -> ThreadLocalRandom.current().nextLong();

        private Builder() {}

        private Builder(Builder other) {
            retries = other.retries;
            base = other.base;
            cap = other.cap;
            jitter = other.jitter;
            deadline = other.deadline;
            idempotent = other.idempotent;
            retriesLostConnections = other.retriesLostConnections;
            metrics = other.metrics;
            listener = other.listener;
            nanos = other.nanos;
            sleeper = other.sleeper;
            random = other.random;
        }

        /** Sets how often a transaction is run again after the first attempt, from 0 to 100. Default: 5. */
        public Builder retries(int value) {
            retries = value;
            return this;
        }

        /**
         * Sets the pause before the first retry, from 1 ms to 1 min. Default: 100 ms. Each further pause is twice as
         * long.
         */
        public Builder base(Duration value) {
            base = value;
            return this;
        }

        /** Sets the longest pause, from the base to 10 min. Default: 5 s. */
        public Builder cap(Duration value) {
            cap = value;
            return this;
        }

        /** Sets the fraction by which a pause varies at random, from 0 to 1. Default: 0.25. */
        public Builder jitter(double value) {
            jitter = value;
            return this;
        }

        /**
         * Sets the time after the start of the first attempt, from 1 ms to 1 day, after which no further attempt
         * begins. With null, only the number of retries is bounded. The deadline does not stop a running statement.
         * Default: null.
         */
        public Builder deadline(@Nullable Duration value) {
            deadline = value;
            return this;
        }

        /** Sets whether transactions may be applied twice without harm. Default: no. */
        public Builder idempotent(boolean value) {
            idempotent = value;
            return this;
        }

        /**
         * Sets whether a transaction is run again if its connection was lost before the commit. The database has
         * rolled it back, so this is as safe as after a conflict. Default: yes.
         */
        public Builder retriesLostConnections(boolean value) {
            retriesLostConnections = value;
            return this;
        }

        /** Sets the metrics that count the outcomes of transactions. Default: a separate object for each builder. */
        public Builder metrics(TransactionMetrics value) {
            metrics = value;
            return this;
        }

        /** Sets a listener in addition to the metrics, or null for none. Default: null. */
        public Builder listener(@Nullable TransactionListener value) {
            listener = value;
            return this;
        }

        /** Sets the clock, in nanoseconds since any origin. Default: {@link System#nanoTime}. */
        public Builder clock(LongSupplier value) {
            nanos = value;
            return this;
        }

        /** Sets how a thread waits during a pause. Default: it sleeps. */
        public Builder sleeper(Sleeper value) {
            sleeper = value;
            return this;
        }

        /** Sets the source of the jitter. Any thread may use it. Default: a generator per thread. */
        public Builder random(RandomGenerator value) {
            random = value;
            return this;
        }

        /**
         * Returns the policy.
         *
         * @throws IllegalArgumentException if a setting is not allowed
         */
        public Retries build() {
            check(retries >= 0 && retries <= 100, "retries", retries, "0 to 100");
            within("base", base, Duration.ofMillis(1), Duration.ofMinutes(1));
            within("cap", cap, base, Duration.ofMinutes(10));
            check(jitter >= 0 && jitter <= 1, "jitter", jitter, "0 to 1");
            if (deadline != null) {
                within("deadline", deadline, Duration.ofMillis(1), Duration.ofDays(1));
            }
            return new Retries(new Builder(this));
        }

        private static void within(String key, Duration value, Duration least, Duration most) {
            check(
                    value.compareTo(least) >= 0 && value.compareTo(most) <= 0,
                    key,
                    value,
                    Text.nanos(least.toNanos()) + " to " + Text.nanos(most.toNanos()));
        }

        private static void check(boolean allowed, String key, Object value, String what) {
            if (!allowed) {
                throw new IllegalArgumentException(key + " is " + value + "; allowed: " + what);
            }
        }
    }
}
