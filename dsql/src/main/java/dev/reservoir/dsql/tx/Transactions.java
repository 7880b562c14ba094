package dev.reservoir.dsql.tx;

import dev.reservoir.core.util.JmxBeans;
import dev.reservoir.core.util.Text;
import dev.reservoir.dsql.error.ConditionFailedException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.management.ObjectName;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs whole transactions on a database with optimistic concurrency control, and runs them again after a conflict.
 * Never holds a connection between attempts.
 *
 * <pre>{@code
 * Transactions transactions = Transactions.on(dataSource);
 * long left = transactions.run("stock.take", tx -> {
 *     try (PreparedStatement update = tx.prepareStatement("UPDATE stock SET left = left - 1 WHERE id = ?")) { ... }
 * });
 * }</pre>
 *
 * <p>Each attempt acquires a connection, begins, does the work and commits. Any statement and the commit may fail with
 * a conflict. The work may run several times, so it must change only the database, or things that may be changed again.
 *
 * <p>The work must not commit, roll back or close. The connection that it receives refuses these calls, and also
 * statements such as {@code COMMIT} or {@code SAVEPOINT}, alone or among others. After a refusal the transaction fails
 * and is not run again. The connection cannot be used after the attempt. This guards only against mistakes:
 * {@code unwrap}, and the connection that a prepared statement or the metadata returns, bypass it.
 *
 * <p>A transaction inside another one on the same thread and data source is refused. It would be committed separately,
 * and again with every retry of the outer one. Pass the connection of the outer transaction on instead. A transaction
 * on another data source is separate, and is allowed.
 *
 * <p>Every method that takes work blocks: for a connection, for the database and for pauses. Immutable except for the
 * counts, and safe for any number of threads.
 */
public final class Transactions implements AutoCloseable {
    /** The running operations, to refuse a transaction inside another. An entry lives as long as its transaction. */
    private static final Map<Place, String> RUNNING = new ConcurrentHashMap<>();

    private static final Logger log = LoggerFactory.getLogger(Transactions.class);

    private final DataSource dataSource;
    private final Retries retries;
    private final @Nullable ObjectName bean;

    private Transactions(DataSource dataSource, Retries retries, @Nullable ObjectName bean) {
        this.dataSource = dataSource;
        this.retries = retries;
        this.bean = bean;
    }

    /** Returns transactions with {@link Retries#defaults}. Does not block. */
    public static Transactions on(DataSource dataSource) {
        return on(dataSource, Retries.defaults());
    }

    /** Returns transactions with this retry policy. Does not block. */
    public static Transactions on(DataSource dataSource, Retries retries) {
        return new Transactions(dataSource, retries, null);
    }

    /**
     * Returns the same transactions, and shows them in JMX as {@code dev.reservoir:type=Transactions,name=...} until
     * {@link #close}. If JMX rejects them, a warning is logged. Does not block.
     */
    public Transactions shownAs(String name) {
        ObjectName shown = JmxBeans.register(
                new Bean(retries.metrics()),
                TransactionsMXBean.class,
                "Transactions",
                "name",
                name,
                e -> log.warn("Reservoir: transactions not shown in JMX  name={} error=\"{}\"", name, Text.oneLine(e)));
        return new Transactions(dataSource, retries, shown);
    }

    private record Bean(TransactionMetrics counts) implements TransactionsMXBean {
        @Override
        public long getConflicts() {
            return counts.conflicts();
        }

        @Override
        public long getRetries() {
            return counts.retries();
        }

        @Override
        public long getExhausted() {
            return counts.exhausted();
        }

        @Override
        public Map<String, Double> getMetrics() {
            return counts.asMetrics();
        }
    }

    /** The work of a transaction that returns a result. */
    @FunctionalInterface
    public interface Work<T extends @Nullable Object> {
        /** Does the work on a connection whose transaction has begun. May be called several times. */
        T run(Connection tx) throws SQLException;
    }

    /** The work of a transaction that returns nothing. */
    @FunctionalInterface
    public interface Task {
        /** Does the work on a connection whose transaction has begun. May be called several times. */
        void run(Connection tx) throws SQLException;
    }

    /**
     * Runs a transaction that returns a result. Blocks.
     *
     * @param operation the name in metrics and messages; use few different names, without data in them
     * @param work the work to run
     * @return the result of the work
     * @throws RetriesExhaustedException if all attempts failed with retryable errors
     * @throws IndeterminateCommitException if it is unknown whether the transaction was committed
     * @throws InterruptedTransactionException if the thread was interrupted during a pause
     * @throws ConditionFailedException if the work throws it, without a retry
     * @throws SQLException any other error of the database, without a retry. Runtime exceptions of the work are also
     *     thrown unchanged, unless their cause is a retryable error
     */
    public <T extends @Nullable Object> T run(String operation, Work<T> work) throws SQLException {
        return transact(operation, work, false, retries);
    }

    /** Runs a transaction that returns nothing. Blocks, and throws the same exceptions as {@link #run}. */
    public void execute(String operation, Task task) throws SQLException {
        transact(operation, nothing(task), false, retries);
    }

    /**
     * Runs a transaction that only reads. It works as {@link #run} does, but the connection is read-only for its
     * duration. Nothing can be applied twice, so it is run again whenever the server is unavailable. Blocks.
     */
    public <T extends @Nullable Object> T read(String operation, Work<T> work) throws SQLException {
        return transact(operation, work, true, retries.idempotent());
    }

    private static Work<Boolean> nothing(Task task) {
        return tx -> {
            task.run(tx);
            return true;
        };
    }

    /** Returns the same transactions, declared idempotent: also run again after an unknown commit. Does not block. */
    public Transactions idempotent() {
        return new Transactions(dataSource, retries.idempotent(), bean);
    }

    /** Returns the same transactions with a deadline after which no further attempt begins. Does not block. */
    public Transactions within(Duration deadline) {
        return new Transactions(dataSource, retries.within(deadline), bean);
    }

    /** The counts of these transactions. */
    public TransactionMetrics metrics() {
        return retries.metrics();
    }

    /**
     * Removes the transactions from JMX. This includes those that {@link #idempotent} and {@link #within} derived,
     * because JMX shows and counts them together. Never closes the data source. Does not block.
     */
    @Override
    public void close() {
        JmxBeans.unregister(bean);
    }

    private <T extends @Nullable Object> T transact(String operation, Work<T> work, boolean readOnly, Retries policy)
            throws SQLException {
        if (operation.isBlank()) {
            throw new IllegalArgumentException("operation is \"" + operation + "\"; allowed: a name that is not blank");
        }
        TransactionAttempt<T> attempt = new TransactionAttempt<>(dataSource, operation, work, readOnly);
        Place place = new Place(Thread.currentThread(), dataSource);
        String outer = RUNNING.putIfAbsent(place, operation);
        if (outer != null) {
            throw new IllegalStateException(operation + ": started inside the transaction " + outer
                    + " on the same data source; it would be committed separately. Use the connection of " + outer
                    + " instead");
        }
        try {
            return policy.call(operation, attempt, attempt::lostItsConnection);
        } catch (SQLException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw Transactions.<RuntimeException>asItIs(e);
        } finally {
            RUNNING.remove(place);
        }
    }

    /** Compares data sources by identity, because some of them define equality in another way. */
    private record Place(Thread thread, DataSource dataSource) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Place place && place.thread == thread && place.dataSource == dataSource;
        }

        @Override
        public int hashCode() {
            return 31 * System.identityHashCode(thread) + System.identityHashCode(dataSource);
        }
    }

    /** Throws an exception that the work threw without declaring it, as other languages can. */
    @SuppressWarnings("unchecked")
    private static <E extends Exception> RuntimeException asItIs(Exception error) throws E {
        throw (E) error;
    }
}
