package dev.reservoir.dsql.tx;

import dev.reservoir.core.util.Text;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The retry policy: when a whole transaction is run again, how often and after what pause. Knows nothing of
 * connections; {@link Transactions}, or the caller of {@link #call}, begins and commits. Never repeats a transaction
 * that may have been committed, unless it is declared idempotent. Immutable, and safe for any number of threads.
 */
public final class Retries {
    private final Builder settings;

    private Retries(Builder settings) {
        this.settings = settings;
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
        /** Runs the transaction. If it throws, it was rolled back, or the exception says that this is unknown. */
        T run() throws Exception;
    }

    /** Waits for a pause to pass. */
    @FunctionalInterface
    public interface Sleeper {
        /** Blocks the thread for this time. */
        void sleep(long nanos) throws InterruptedException;
    }

    /** Returns the same policy for idempotent transactions: also run again after an unknown commit. Does not block. */
    public Retries idempotent() {
        return settings.copy().idempotent(true).build();
    }

    /** Returns the same policy with another deadline. Does not block. */
    public Retries within(Duration deadline) {
        return settings.copy().deadline(deadline).build();
    }

    /** The metrics that count the outcomes of transactions. */
    public TransactionMetrics metrics() {
        return settings.metrics;
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

    /** Does the same for attempts that report whether they lost their connection; null if they do not. */
    <T extends @Nullable Object> T call(
            String operation, Attempt<T> attempt, @Nullable BooleanSupplier lostItsConnection) throws Exception {
        return new RetryLoop<>(settings, operation, attempt, lostItsConnection).run();
    }

    /** Collects the settings of a policy. No method blocks. */
    public static final class Builder implements Cloneable {
        int retries = 5;
        Duration base = Duration.ofMillis(100);
        Duration cap = Duration.ofSeconds(5);
        double jitter = 0.25;
        boolean idempotent;
        boolean retriesLostConnections = true;
        TransactionMetrics metrics = new TransactionMetrics();
        LongSupplier nanos = System::nanoTime;
        Sleeper sleeper = TimeUnit.NANOSECONDS::sleep;
        RandomGenerator random = () -> ThreadLocalRandom.current().nextLong();

        @Nullable
        Duration deadline;

        @Nullable
        TransactionListener listener;

        private Builder() {}

        private Builder copy() {
            try {
                return (Builder) clone();
            } catch (CloneNotSupportedException e) {
                throw new IllegalStateException("bug: a builder that cannot be copied", e);
            }
        }

        /** Sets how often a transaction is run again after the first attempt, from 0 to 100. Default: 5. */
        public Builder retries(int value) {
            retries = value;
            return this;
        }

        /** Sets the pause before the first retry, from 1 ms to 1 min. Each further one doubles. Default: 100 ms. */
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
         * Sets whether a transaction is run again if its connection was lost before the commit. The database has rolled
         * it back, so this is as safe as after a conflict. Default: yes.
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
            return new Retries(copy());
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
