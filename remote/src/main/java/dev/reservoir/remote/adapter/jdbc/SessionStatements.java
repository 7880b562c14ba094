package dev.reservoir.remote.adapter.jdbc;

import dev.reservoir.remote.adapter.AdapterSession;
import dev.reservoir.remote.adapter.QueryResult;
import dev.reservoir.remote.adapter.TransactionState;
import dev.reservoir.remote.model.RemoteErrorCode;
import dev.reservoir.remote.model.RemoteException;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Executes the statements of one session, and remembers those that its user left open. */
final class SessionStatements {
    /** Bounds the prepared statements of a session that its user left open. */
    private static final int STATEMENTS_MAX = 1_000;

    private final SessionCalls calls;
    private final SessionTransaction transaction;
    private final Set<JdbcStatement> prepared = new LinkedHashSet<>();
    private @Nullable JdbcCursor cursor;

    SessionStatements(SessionCalls calls, SessionTransaction transaction) {
        this.calls = calls;
        this.transaction = transaction;
    }

    /** Closes what the user left open. */
    void closeAll() throws RemoteException {
        if (cursor != null) {
            cursor.close();
        }
        for (JdbcStatement statement : new ArrayList<>(prepared)) {
            statement.close();
        }
    }

    QueryResult query(String sql, @Nullable Object... parameters) throws RemoteException {
        QueryResult all = run(sql, parameters, (statement, returnedRows) -> {
            if (!returnedRows) {
                return new QueryResult(List.of(), List.of());
            }
            try (ResultSet result = statement.getResultSet()) {
                return Rows.all(result);
            }
        });
        calls.countRows(all.rows().size());
        return all;
    }

    long update(String sql, @Nullable Object... parameters) throws RemoteException {
        long changed = run(sql, parameters, Rows::changed);
        calls.countRows(changed);
        return changed;
    }

    /** Reads the result of a statement that was executed. */
    @FunctionalInterface
    private interface Reading<T> {
        T read(Statement statement, boolean returnedRows) throws SQLException;
    }

    private <T> T run(String sql, @Nullable Object[] parameters, Reading<T> reading) throws RemoteException {
        boolean plain = parameters.length == 0;
        Statement statement = calls.call(() -> plain
                ? calls.connection().createStatement()
                : calls.connection().prepareStatement(sql));
        try {
            return calls.execute(statement, () -> {
                boolean returnedRows;
                if (!plain && statement instanceof PreparedStatement ready) {
                    Rows.bind(ready, parameters);
                    returnedRows = ready.execute();
                } else {
                    returnedRows = statement.execute(sql);
                }
                return reading.read(statement, returnedRows);
            });
        } finally {
            closeQuietly(statement);
        }
    }

    /**
     * The error of the statement itself is reported. If the close failed because of the network, the next call fails.
     */
    private static void closeQuietly(Statement statement) {
        try {
            statement.close();
        } catch (SQLException | RuntimeException e) {
            return;
        }
    }

    JdbcStatement prepare(String sql) throws RemoteException {
        if (prepared.size() == STATEMENTS_MAX) {
            throw new RemoteException(
                    RemoteErrorCode.PREPARED_STATEMENT_ERROR,
                    "more than " + STATEMENTS_MAX + " prepared statements are open; close those that are not needed");
        }
        PreparedStatement ready = calls.call(() -> calls.connection().prepareStatement(sql));
        JdbcStatement statement = new JdbcStatement(calls, ready, prepared::remove);
        prepared.add(statement);
        return statement;
    }

    JdbcCursor openCursor(String sql, int fetchSize, @Nullable Object... parameters) throws RemoteException {
        if (fetchSize < 1 || fetchSize > AdapterSession.FETCH_SIZE_MAX) {
            throw RemoteException.invalidOption("fetch_size", fetchSize, "1 to " + AdapterSession.FETCH_SIZE_MAX);
        }
        if (cursor != null) {
            throw new RemoteException(RemoteErrorCode.CURSOR_ERROR, "another cursor is open; close it first");
        }
        boolean ownsTransaction =
                calls.profile().cursorNeedsTransaction() && transaction.state() == TransactionState.NONE;
        if (ownsTransaction) {
            transaction.begin();
        }
        JdbcCursor opened = null;
        try {
            opened = open(sql, fetchSize, ownsTransaction, parameters);
            cursor = opened;
            calls.servesCursorOnly(ownsTransaction);
            return opened;
        } finally {
            if (opened == null && ownsTransaction && calls.state().isOpen()) {
                transaction.rollback();
            }
        }
    }

    private JdbcCursor open(String sql, int fetchSize, boolean ownsTransaction, @Nullable Object... parameters)
            throws RemoteException {
        PreparedStatement statement = calls.call(() -> calls.connection().prepareStatement(sql));
        boolean opened = false;
        try {
            JdbcCursor made = calls.execute(statement, () -> {
                statement.setFetchSize(fetchSize);
                Rows.bind(statement, parameters);
                ResultSet result = statement.executeQuery();
                return new JdbcCursor(
                        calls, statement, result, Rows.columns(result), fetchSize, ownsTransaction, this::forget);
            });
            opened = true;
            return made;
        } finally {
            if (!opened) {
                closeQuietly(statement);
            }
        }
    }

    private void forget(JdbcCursor closed) {
        if (cursor == closed) {
            cursor = null;
            calls.servesCursorOnly(false);
        }
    }
}
