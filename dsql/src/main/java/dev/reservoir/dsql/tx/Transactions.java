package dev.reservoir.dsql.tx;

import dev.reservoir.core.util.JmxBeans;
import dev.reservoir.dsql.error.ConditionFailedException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.management.ObjectName;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Runs whole transactions on a database with optimistic concurrency control, and runs them again when they conflict.
 *
 * <pre>{@code
 * Transactions transactions = Transactions.on(dataSource);
 * long left = transactions.run("stock.take", tx -> {
 *     try (PreparedStatement update = tx.prepareStatement("UPDATE stock SET left = left - 1 WHERE id = ?")) { ... }
 * });
 * }</pre>
 *
 * <p>Each attempt takes a connection, begins, does the work and commits; a conflict may come from any statement and from the commit. Between
 * attempts no connection is held. The work may run several times, so it changes nothing but the database, or only what may be
 * changed again. It does not commit, roll back or close: those are refused on the connection that it gets, also as
 * statements such as {@code COMMIT} or {@code SAVEPOINT} among others, and then it is not run again. The connection is of no use any more when the
 * attempt is over. That guards against mistakes only: {@code unwrap}, and the connection that a prepared statement or the metadata
 * name, lead past it.
 *
 * <p>A transaction inside another one of the same data source, on the same thread, is refused: it would be committed on its own, and again with
 * every retry of the outer one. Hand the outer one's connection on instead. Another data source is another transaction and may be used.
 *
 * <p>Every method that takes work blocks: for a connection, for the database and for pauses. Immutable but for what is
 * counted, and for any number of threads.
 */
public final class Transactions implements AutoCloseable {
    private final DataSource dataSource;
    private final Retries retries;
    private final @Nullable ObjectName bean;

    private Transactions(DataSource dataSource, Retries retries, @Nullable ObjectName bean) {
        this.dataSource = dataSource;
        this.retries = retries;
        this.bean = bean;
    }

    /** Transactions with {@link Retries#defaults}. */
    public static Transactions on(DataSource dataSource) {
        return on(dataSource, Retries.defaults());
    }

    /** Transactions that are run again as these say. */
    public static Transactions on(DataSource dataSource, Retries retries) {
        return new Transactions(dataSource, retries, null);
    }

    /**
     * The same, shown in JMX as {@code dev.reservoir:type=Transactions,name=...} until {@link #close}. JMX that does not want it costs a
     * warning in the log.
     */
    public Transactions shownAs(String name) {
        return new Transactions(dataSource, retries, TransactionsJmx.register(name, retries.metrics()));
    }

    /** What is done in a transaction. */
    @FunctionalInterface
    public interface Work<T extends @Nullable Object> {
        /** Does it, on a connection on which the transaction has begun. May be called several times. */
        T run(Connection tx) throws SQLException;
    }

    /** What is done in a transaction that answers nothing. */
    @FunctionalInterface
    public interface Task {
        /** Does it, on a connection on which the transaction has begun. May be called several times. */
        void run(Connection tx) throws SQLException;
    }

    /**
     * Runs a transaction that answers something.
     *
     * @param operation its name in metrics and messages; of few different ones, so without data in it
     * @throws RetriesExhaustedException if it met an error after which it may be run again as often as it may be
     * @throws IndeterminateCommitException if it is not known whether it was committed
     * @throws InterruptedTransactionException if the thread was interrupted in a pause
     * @throws ConditionFailedException as the work throws it, at the first time
     * @throws SQLException every other error of the database, at the first time. Runtime exceptions of the work come as they are,
     *     too, unless there is an error behind them after which the transaction may be run again
     */
    public <T extends @Nullable Object> T run(String operation, Work<T> work) throws SQLException {
        return transact(operation, work, false, retries);
    }

    /** Runs a transaction that answers nothing. As {@link #run}. */
    public void execute(String operation, Task task) throws SQLException {
        transact(operation, nothing(task), false, retries);
    }

    /**
     * Runs a transaction that only reads. As {@link #run}, but the connection is read-only meanwhile, and since nothing can be done
     * twice, it is run again whenever the server is unavailable.
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

    /** The same for transactions that do no harm if they are done twice: these are run again after a commit of unknown end. */
    public Transactions idempotent() {
        return new Transactions(dataSource, retries.idempotent(), bean);
    }

    /** The same, with no attempt begun later than this after the first. */
    public Transactions within(Duration deadline) {
        return new Transactions(dataSource, retries.within(deadline), bean);
    }

    /** What was counted. */
    public TransactionMetrics metrics() {
        return retries.metrics();
    }

    /**
     * Ends being shown in JMX, also of those from which this was made by {@link #idempotent} or {@link #within}: they are counted
     * together, and shown as one. The data source stays open.
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
        Attempt<T> attempt = new Attempt<>(dataSource, operation, work, readOnly);
        Nesting nesting = Nesting.enter(dataSource, operation);
        try {
            return policy.call(operation, attempt, attempt);
        } catch (SQLException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw Transactions.<RuntimeException>asItIs(e);
        } finally {
            nesting.leave();
        }
    }

    /** Throws what the work threw without declaring it, as other languages can. */
    @SuppressWarnings("unchecked")
    private static <E extends Exception> RuntimeException asItIs(Exception error) throws E {
        throw (E) error;
    }
}
