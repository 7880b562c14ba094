package dev.reservoir.dsql.tx;

import dev.reservoir.core.util.Text;
import dev.reservoir.dsql.error.DsqlError;
import dev.reservoir.dsql.error.DsqlErrors;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one transaction from begin to commit, on a connection of its own each time, and gives the connection back as it was. Never
 * runs anything twice: {@link Retries} decides that. Used by one thread.
 */
final class Attempt<T extends @Nullable Object> implements Retries.Attempt<T>, Retries.Progress {
    private static final Logger log = LoggerFactory.getLogger(Transactions.class);

    /** By which some servers say themselves that they do not know. */
    private static final String COMPLETION_UNKNOWN = "40003";

    /** Internal errors, errors of the system around the server, an operator's intervention, and lost connections. */
    private static final List<String> UNCERTAIN_CLASSES = List.of("XX", "58", "57", "08");

    private final DataSource dataSource;
    private final String operation;
    private final Transactions.Work<T> work;
    private final boolean readOnly;
    private boolean lost;

    /** Whether the transaction may still be open. */
    private boolean open;

    Attempt(DataSource dataSource, String operation, Transactions.Work<T> work, boolean readOnly) {
        this.dataSource = dataSource;
        this.operation = operation;
        this.work = work;
        this.readOnly = readOnly;
    }

    @Override
    public boolean lostItsConnection() {
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
            giveBack(connection, autoCommit, wasReadOnly, null);
            return result;
        } catch (Throwable e) {
            // Not only what is declared: other languages throw checked exceptions without saying so.
            giveBack(connection, autoCommit, wasReadOnly, e);
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
            bringUpRefusal(guarded, null);
            bringUpSwallowedError(connection);
            return result;
        } catch (Throwable e) {
            rollBack(connection, e);
            // Then the error was not of another connection, which the work may have had for itself.
            lost = open;
            bringUpRefusal(guarded, e);
            throw e;
        } finally {
            guarded.end();
        }
    }

    /**
     * Work that tries to commit halfway does not fit a transaction that may be run again, so it is not: neither if it has caught the error, nor if
     * another came of it.
     */
    private static void bringUpRefusal(GuardedConnection guarded, @Nullable Throwable error) throws SQLException {
        SQLException refused = guarded.refused();
        if (refused != null && !Retries.isCausedBy(error, refused)) {
            if (error != null) {
                suppress(refused, error);
            }
            throw refused;
        }
    }

    /**
     * A statement's error fails the whole transaction, even if the work has caught it. The server answers a commit then by rolling back, of which
     * PostgreSQL's driver says nothing: so it is asked before, which costs nothing, and only if so the server is made to repeat the error.
     */
    private void bringUpSwallowedError(Connection connection) throws SQLException {
        if (DriverState.hasFailed(connection)) {
            try (Statement statement = connection.createStatement()) {
                statement.execute("SELECT 1");
            }
            throw new SQLException(operation + ": the transaction has failed, though no error came through", "25P02");
        }
    }

    /** After this the transaction is committed, or surely not, or nobody knows. */
    private void commit(Connection connection) throws SQLException {
        try {
            connection.commit();
            open = false;
        } catch (SQLException e) {
            SQLException error = isCertain(e) ? e : new IndeterminateCommitException(operation, e);
            rollBack(connection, error);
            throw error;
        } catch (Exception e) {
            IndeterminateCommitException error = new IndeterminateCommitException(operation, e);
            rollBack(connection, error);
            throw error;
        }
    }

    /**
     * Whether the server has said that the transaction was not committed: then there is a code, and it is not of a lost server, nor of one
     * that failed inside or was told to stop, which may have been after the commit.
     */
    private static boolean isCertain(SQLException e) {
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

    /** What goes wrong here does not change what became of the transaction: it is told beside its error, or to the log. */
    private void giveBack(Connection connection, boolean autoCommit, boolean wasReadOnly, @Nullable Throwable error) {
        try {
            // To turn auto-commit on commits what is open. One that could not be rolled back is left to the close.
            if (autoCommit && !open) {
                connection.setAutoCommit(true);
            }
            if (wasReadOnly != readOnly && !open) {
                connection.setReadOnly(wasReadOnly);
            }
        } catch (SQLException | RuntimeException e) {
            tell(e, error);
        }
        close(connection, error);
    }

    private void close(Connection connection, @Nullable Throwable error) {
        try {
            connection.close();
        } catch (SQLException | RuntimeException e) {
            tell(e, error);
        }
    }

    private void tell(Exception e, @Nullable Throwable error) {
        if (error == null) {
            log.warn(
                    "Reservoir: connection not given back in order  operation={} error=\"{}\"",
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
}
