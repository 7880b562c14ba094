package dev.reservoir.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/** What is special about a statement on a lent connection; the rest passes calls on and is generated. */
abstract class StatementBase extends Tracked implements Statement {
    /** The driver's statement, or null once this one is closed. */
    private @Nullable Statement raw;

    StatementBase(ConnectionBase connection, Statement raw) {
        super(connection);
        this.raw = raw;
    }

    /** The driver's statement, while this one is open. */
    final Statement open() throws SQLException {
        Statement s = raw;
        if (s == null) {
            throw connection.closed("statement");
        }
        return s;
    }

    /** The same, for a call after which a transaction may be open. */
    final Statement run() throws SQLException {
        Statement s = open();
        connection.running();
        return s;
    }

    /** The same, for a call that hands out something of the driver's that can start a transaction by itself. */
    final Statement expose() throws SQLException {
        Statement s = open();
        connection.exposing();
        return s;
    }

    final SQLException failed(SQLException e) {
        return connection.failed(e);
    }

    /** For a result set that belongs to this statement. */
    @SuppressWarnings("NullAway") // JDBC has no result set where there is none
    final ResultSet lend(@Nullable ResultSet result) {
        return result == null ? null : new LentResultSet(this, result);
    }

    final @Nullable Object lendValue(@Nullable Object value) throws SQLException {
        return connection.lendValue(value);
    }

    final <T> @Nullable T lendValue(@Nullable T value, Class<T> type) throws SQLException {
        return connection.lendValue(value, type);
    }

    @Override
    public final void close() throws SQLException {
        Statement s = raw;
        if (s == null) {
            return;
        }
        raw = null;
        connection.untrack(this);
        try {
            s.close();
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    @Override
    final void closeOnReturn() throws SQLException {
        Statement s = raw;
        raw = null;
        if (s != null) {
            s.close();
        }
    }

    @Override
    final void detach() {
        raw = null;
    }

    @Override
    public final boolean isClosed() throws SQLException {
        Statement s = raw;
        if (s == null) {
            return true;
        }
        try {
            return s.isClosed();
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    @Override
    public final Connection getConnection() throws SQLException {
        open();
        return connection;
    }

    @Override
    public final void closeOnCompletion() throws SQLException {
        Statement s = open();
        try {
            s.closeOnCompletion();
        } catch (SQLException e) {
            throw failed(e);
        }
        watchesResults = true;
    }

    /** The driver may have closed the statement with its last result set. */
    @Override
    final void resultClosed() {
        Statement s = raw;
        try {
            if (s != null && s.isClosed()) {
                raw = null;
                connection.untrack(this);
            }
        } catch (SQLException e) {
            failed(e);
        }
    }

    @Override
    final Statement statement() {
        return this;
    }

    @Override
    public final <T> T unwrap(Class<T> type) throws SQLException {
        Statement s = open();
        if (type.isInstance(this)) {
            return type.cast(this);
        }
        connection.exposing();
        try {
            return Unwrapping.unwrap(s, type);
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    @Override
    public final boolean isWrapperFor(Class<?> type) throws SQLException {
        Statement s = open();
        try {
            return Unwrapping.isWrapperFor(this, s, type);
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    /** Says nothing of what is being run: its parameters may be secret. */
    @Override
    public final String toString() {
        Statement s = raw;
        return getClass().getSimpleName() + "["
                + (s == null ? "closed" : s.getClass().getName()) + "]";
    }
}
