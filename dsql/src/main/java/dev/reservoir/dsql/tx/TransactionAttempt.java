package dev.reservoir.dsql.tx;

import dev.reservoir.core.util.Causes;
import dev.reservoir.core.util.Text;
import dev.reservoir.dsql.error.DsqlError;
import dev.reservoir.dsql.error.DsqlErrors;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one transaction from begin to commit. Each run acquires a connection, and restores its settings before it
 * releases it. Never runs anything twice; {@link Retries} decides about that. Used by one thread.
 */
final class TransactionAttempt<T extends @Nullable Object> implements Retries.Attempt<T> {
    private static final Logger log = LoggerFactory.getLogger(Transactions.class);

    /** Whether PostgreSQL's driver is there, which knows the state of a transaction. JDBC does not offer it. */
    private static final boolean HAS_DRIVER = hasDriver();

    /** The SQLSTATE with which some servers report that they do not know whether the statement completed. */
    private static final String COMPLETION_UNKNOWN = "40003";

    /** Internal errors, system errors, interventions and lost connections. The commit may have succeeded. */
    private static final List<String> UNCERTAIN_CLASSES = List.of("XX", "58", "57", "08");

    private final DataSource dataSource;
    private final String operation;
    private final Transactions.Work<T> work;
    private final boolean readOnly;
    private boolean lost;

    /** Whether the transaction may still be open. */
    private boolean open;

    TransactionAttempt(DataSource dataSource, String operation, Transactions.Work<T> work, boolean readOnly) {
        this.dataSource = dataSource;
        this.operation = operation;
        this.work = work;
        this.readOnly = readOnly;
    }

    /** Whether the last run had a connection and lost it before the commit. */
    boolean lostItsConnection() {
        return lost;
    }

    @Override
    public T run() throws SQLException {
        lost = false;
        open = false;
        Connection connection = dataSource.getConnection();
        boolean autoCommit;
        boolean wasReadOnly;
        try {
            autoCommit = connection.getAutoCommit();
            wasReadOnly = connection.isReadOnly();
        } catch (Throwable e) {
            close(connection, e);
            throw e;
        }
        try {
            begin(connection, wasReadOnly);
            T result = work(connection);
            commit(connection);
            release(connection, autoCommit, wasReadOnly, null);
            return result;
        } catch (Throwable e) {
            // Catches everything, because other languages throw checked exceptions without declaring them.
            release(connection, autoCommit, wasReadOnly, e);
            throw e;
        }
    }

    private void begin(Connection connection, boolean wasReadOnly) throws SQLException {
        if (wasReadOnly != readOnly) {
            connection.setReadOnly(readOnly);
        }
        connection.setAutoCommit(false);
        open = true;
    }

    private T work(Connection connection) throws SQLException {
        GuardedConnection guarded = new GuardedConnection(connection, operation);
        try {
            T result = work.run(guarded.connection());
            rethrowRefusal(guarded, null);
            rethrowSwallowedError(connection);
            return result;
        } catch (Throwable e) {
            rollBack(connection, e);
            // The rollback failed too, so the error concerns this connection and not another one that the work uses.
            lost = open;
            rethrowRefusal(guarded, e);
            throw e;
        } finally {
            guarded.end();
        }
    }

    /**
     * Throws the error of a refused statement, even if the work has caught it or threw another error because of it.
     * Work that tries to commit halfway does not fit a transaction that may be run again, so it fails and is not run
     * again.
     */
    private static void rethrowRefusal(GuardedConnection guarded, @Nullable Throwable error) throws SQLException {
        SQLException refused = guarded.refused();
        if (refused != null && !Causes.of(error).contains(refused)) {
            if (error != null) {
                suppress(refused, error);
            }
            throw refused;
        }
    }

    /**
     * Throws the error of a failed statement that the work has caught. The error fails the whole transaction. The
     * server would answer the commit with a rollback, which PostgreSQL's driver does not report. So this asks the
     * driver first, which costs nothing. Only if the transaction has failed, it makes the server repeat the error.
     */
    private void rethrowSwallowedError(Connection connection) throws SQLException {
        if (HAS_DRIVER && Postgres.hasFailed(connection)) {
            try (Statement statement = connection.createStatement()) {
                statement.execute("SELECT 1");
            }
            throw new SQLException(
                    operation + ": the transaction has failed, but the driver reported no error", "25P02");
        }
    }

    /** Commits. Afterwards the transaction is committed, or certainly not, or the outcome is unknown. */
    private void commit(Connection connection) throws SQLException {
        try {
            connection.commit();
            open = false;
        } catch (SQLException e) {
            SQLException error = isNotCommitted(e) ? e : new IndeterminateCommitException(operation, e);
            rollBack(connection, error);
            throw error;
        } catch (Exception e) {
            IndeterminateCommitException error = new IndeterminateCommitException(operation, e);
            rollBack(connection, error);
            throw error;
        }
    }

    /**
     * Whether the server has reported that the transaction was not committed. The error must have a code, and the code
     * must not mean a lost connection, an internal failure or a shutdown. Those may have happened after the commit.
     */
    private static boolean isNotCommitted(SQLException e) {
        DsqlError error = DsqlErrors.of(e);
        String state = error.sqlState();
        return switch (error.kind()) {
            case UNAVAILABLE, CONNECTION, AUTH -> false;
            default ->
                state != null
                        && !state.equals(COMPLETION_UNKNOWN)
                        && UNCERTAIN_CLASSES.stream().noneMatch(state::startsWith);
        };
    }

    private void rollBack(Connection connection, Throwable error) {
        try {
            connection.rollback();
            open = false;
        } catch (SQLException | RuntimeException e) {
            suppress(error, e);
        }
    }

    /**
     * Restores the connection's settings and releases it. A failure here does not change the outcome of the
     * transaction. It is added to the transaction's error, or logged if there is none.
     */
    private void release(Connection connection, boolean autoCommit, boolean wasReadOnly, @Nullable Throwable error) {
        try {
            // Turning auto-commit on would commit an open transaction. If the rollback failed, closing ends it.
            if (autoCommit && !open) {
                connection.setAutoCommit(true);
            }
            if (wasReadOnly != readOnly && !open) {
                connection.setReadOnly(wasReadOnly);
            }
        } catch (SQLException | RuntimeException e) {
            report(e, error);
        }
        close(connection, error);
    }

    private void close(Connection connection, @Nullable Throwable error) {
        try {
            connection.close();
        } catch (SQLException | RuntimeException e) {
            report(e, error);
        }
    }

    private void report(Exception e, @Nullable Throwable error) {
        if (error == null) {
            log.warn(
                    "Reservoir: connection not released cleanly  operation={} error=\"{}\"",
                    operation,
                    Text.oneLine(e));
        } else {
            suppress(error, e);
        }
    }

    private static void suppress(Throwable error, Throwable other) {
        if (error != other) {
            error.addSuppressed(other);
        }
    }

    private static boolean hasDriver() {
        try {
            Class.forName("org.postgresql.core.BaseConnection", false, TransactionAttempt.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    /** A separate class, so that the driver's classes are loaded only if they exist. */
    private static final class Postgres {
        /** Whether a statement has failed, so that the server accepts only a rollback. */
        static boolean hasFailed(Connection connection) throws SQLException {
            return connection.isWrapperFor(BaseConnection.class)
                    && connection.unwrap(BaseConnection.class).getTransactionState() == TransactionState.FAILED;
        }
    }
}
