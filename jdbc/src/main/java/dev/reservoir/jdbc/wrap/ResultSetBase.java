package dev.reservoir.jdbc.wrap;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * What is special about a result set on a lent connection; the rest passes calls on and is generated. It closes with what
 * owns it, whatever the driver makes of that.
 */
abstract class ResultSetBase implements ResultSet {
    private final Tracked owner;

    /** The driver's result set, or null once this one is closed. */
    private @Nullable ResultSet raw;

    ResultSetBase(Tracked owner, ResultSet raw) {
        this.owner = owner;
        this.raw = raw;
    }

    /** The driver's result set, while this one is open. {@link #leave} must follow. */
    final ResultSet open() throws SQLException {
        ResultSet r = raw;
        if (r == null || owner.slot == Tracked.CLOSED) {
            throw owner.connection.closed("result set");
        }
        owner.connection.enter();
        return r;
    }

    /** The same, for a call that may wait for the server. {@link #end} must follow. */
    final ResultSet call() throws SQLException {
        ResultSet r = open();
        owner.connection.begin();
        return r;
    }

    /** The same, for a call after which a transaction may be open. {@link #end} must follow. */
    final ResultSet run() throws SQLException {
        ResultSet r = open();
        owner.connection.running();
        return r;
    }

    /** As {@link #open}, for a call that hands out something of the driver's that can start a transaction by itself. */
    final ResultSet expose() throws SQLException {
        ResultSet r = open();
        owner.connection.exposing();
        return r;
    }

    final void leave() {
        owner.connection.leave();
    }

    final void end() {
        owner.connection.end();
    }

    final void failed(Throwable e) {
        owner.connection.failed(e);
    }

    final @Nullable Object wrapValue(@Nullable Object value) throws SQLException {
        return owner.connection.wrapValue(value);
    }

    final <T> @Nullable T wrapValue(@Nullable T value, Class<T> type) throws SQLException {
        return owner.connection.wrapValue(value, type);
    }

    /** After the end of the checkout, or of its owner, there is nothing left to close. */
    @Override
    public final void close() throws SQLException {
        ResultSet r = raw;
        if (r == null) {
            return;
        }
        raw = null;
        if (owner.slot == Tracked.CLOSED || !owner.connection.tryEnter()) {
            return;
        }
        owner.connection.begin();
        try {
            r.close();
        } catch (SQLException | Error e) {
            failed(e);
            throw e;
        } finally {
            try {
                if (owner.watchesResults) {
                    owner.resultClosed();
                }
            } finally {
                end();
            }
        }
    }

    @Override
    public final boolean isClosed() throws SQLException {
        ResultSet r = raw;
        if (r == null || owner.slot == Tracked.CLOSED || !owner.connection.tryEnter()) {
            return true;
        }
        try {
            return r.isClosed();
        } catch (SQLException | Error e) {
            failed(e);
            throw e;
        } finally {
            leave();
        }
    }

    @Override
    @SuppressWarnings("NullAway") // JDBC has no statement for some result sets
    public final Statement getStatement() throws SQLException {
        open();
        try {
            return owner.statement();
        } catch (SQLException | Error e) {
            failed(e);
            throw e;
        } finally {
            leave();
        }
    }

    @Override
    public final <T> T unwrap(Class<T> type) throws SQLException {
        ResultSet r = open();
        try {
            if (type.isInstance(this)) {
                return type.cast(this);
            }
            owner.connection.exposing();
            return Unwrapping.unwrap(r, type);
        } catch (SQLException | Error e) {
            failed(e);
            throw e;
        } finally {
            leave();
        }
    }

    @Override
    public final boolean isWrapperFor(Class<?> type) throws SQLException {
        ResultSet r = open();
        try {
            return Unwrapping.isWrapperFor(this, r, type);
        } catch (SQLException | Error e) {
            failed(e);
            throw e;
        } finally {
            leave();
        }
    }

    @Override
    public final String toString() {
        ResultSet r = raw;
        return "WrappedResultSet[" + (r == null ? "closed" : r.getClass().getName()) + "]";
    }
}
