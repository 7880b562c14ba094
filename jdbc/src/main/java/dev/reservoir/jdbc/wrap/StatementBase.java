package dev.reservoir.jdbc.wrap;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a wrapped statement that do more than pass a call on. The generated subclasses pass on the other calls.
 * Never reaches the driver after the checkout has ended.
 */
abstract class StatementBase extends Tracked implements Statement {
    /** The statement of the driver, or null once this wrapper is closed. */
    private @Nullable Statement raw;

    StatementBase(ConnectionBase connection, Statement raw) {
        super(connection);
        this.raw = raw;
    }

    /** Returns the statement of the driver if this one is open. {@link #leave} must follow. */
    final Statement open() throws SQLException {
        Statement s = raw;
        if (s == null) {
            throw connection.closed("statement");
        }
        connection.enter();
        return s;
    }

    /** Does the same for a call that may wait for the server. {@link #end} must follow. */
    final Statement call() throws SQLException {
        Statement s = open();
        connection.begin();
        return s;
    }

    /** Does the same for a call that may leave a transaction open. {@link #end} must follow. */
    final Statement run() throws SQLException {
        Statement s = open();
        connection.running();
        return s;
    }

    /**
     * Does the same as {@link #open} for a call that gives the caller an object of the driver that can start a
     * transaction by itself.
     */
    final Statement expose() throws SQLException {
        Statement s = open();
        connection.exposing();
        return s;
    }

    final void leave() {
        connection.leave();
    }

    final void end() {
        connection.end();
    }

    final SQLException failed(Throwable e) {
        return connection.failed(e);
    }

    final <R extends @Nullable Object> R leaving(ConnectionBase.Call<R> call) throws SQLException {
        return connection.leaving(call);
    }

    final void leaveAfter(ConnectionBase.Action action) throws SQLException {
        connection.leaveAfter(action);
    }

    /** Wraps a result set that belongs to this statement. */
    @SuppressWarnings("NullAway") // JDBC returns null if there is no result set
    final ResultSet wrap(@Nullable ResultSet result) {
        return result == null ? null : new WrappedResultSet(this, result);
    }

    final @Nullable Object wrapValue(@Nullable Object value) throws SQLException {
        return connection.wrapValue(value);
    }

    final <T> @Nullable T wrapValue(@Nullable T value, Class<T> type) throws SQLException {
        return connection.wrapValue(value, type);
    }

    /** Does nothing after the end of the checkout, because everything is closed then. */
    @Override
    public final void close() throws SQLException {
        Statement s = raw;
        if (s == null || !connection.tryEnter()) {
            return;
        }
        raw = null;
        connection.untrack(this);
        try {
            s.close();
        } catch (SQLException | Error e) {
            throw failed(e);
        } finally {
            leave();
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
    final boolean isGone() {
        return raw == null;
    }

    @Override
    public final boolean isClosed() throws SQLException {
        Statement s = raw;
        if (s == null || !connection.tryEnter()) {
            return true;
        }
        return leaving(s::isClosed);
    }

    @Override
    public final Connection getConnection() throws SQLException {
        checkOpen();
        return connection;
    }

    private void checkOpen() throws SQLException {
        if (raw == null) {
            throw connection.closed("statement");
        }
        connection.checkOpen();
    }

    @Override
    public final void closeOnCompletion() throws SQLException {
        Statement s = open();
        leaveAfter(() -> {
            s.closeOnCompletion();
            watchesResults = true;
        });
    }

    /**
     * The driver may have closed the statement together with its last result set. Called while a call is in progress.
     */
    @Override
    final void resultClosed() {
        Statement s = raw;
        try {
            if (s != null && s.isClosed()) {
                raw = null;
                connection.untrack(this);
            }
        } catch (SQLException e) {
            var unused = failed(e);
        }
    }

    @Override
    final Statement statement() {
        return this;
    }

    @Override
    public final <T> T unwrap(Class<T> type) throws SQLException {
        if (type.isInstance(this)) {
            checkOpen();
            return type.cast(this);
        }
        Statement s = expose();
        return leaving(() -> Unwrapping.unwrap(s, type));
    }

    @Override
    public final boolean isWrapperFor(Class<?> type) throws SQLException {
        Statement s = open();
        return leaving(() -> Unwrapping.isWrapperFor(this, s, type));
    }

    /** Does not show the SQL, because its parameters may be secret. */
    @Override
    public final String toString() {
        Statement s = raw;
        return getClass().getSimpleName() + "["
                + (s == null ? "closed" : s.getClass().getName()) + "]";
    }
}
