package dev.reservoir.jdbc.wrap;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a wrapped result set that do more than pass a call on. The generated subclass passes on the other calls.
 * The wrapper is closed together with its owner, whether or not the driver closes its result set then.
 */
abstract class ResultSetBase implements ResultSet {
    private final Tracked owner;

    /** The result set of the driver, or null once this wrapper is closed. */
    private @Nullable ResultSet raw;

    ResultSetBase(Tracked owner, ResultSet raw) {
        this.owner = owner;
        this.raw = raw;
    }

    /** Returns the result set of the driver if this one is open. {@link #leave} must follow. */
    final ResultSet open() throws SQLException {
        ResultSet r = raw;
        if (r == null || owner.slot == Tracked.CLOSED) {
            throw owner.connection.closed("result set");
        }
        owner.connection.enter();
        return r;
    }

    /** Does the same for a call that may wait for the server. {@link #end} must follow. */
    final ResultSet call() throws SQLException {
        ResultSet r = open();
        owner.connection.begin();
        return r;
    }

    /** Does the same for a call that may leave a transaction open. {@link #end} must follow. */
    final ResultSet run() throws SQLException {
        ResultSet r = open();
        owner.connection.running();
        return r;
    }

    /**
     * Does the same as {@link #open} for a call that gives the caller an object of the driver that can start a
     * transaction by itself.
     */
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

    final SQLException failed(Throwable e) {
        return owner.connection.failed(e);
    }

    final <R extends @Nullable Object> R leaving(ConnectionBase.Call<R> call) throws SQLException {
        return owner.connection.leaving(call);
    }

    final void leaveAfter(ConnectionBase.Action action) throws SQLException {
        owner.connection.leaveAfter(action);
    }

    final @Nullable Object wrapValue(@Nullable Object value) throws SQLException {
        return owner.connection.wrapValue(value);
    }

    final <T> @Nullable T wrapValue(@Nullable T value, Class<T> type) throws SQLException {
        return owner.connection.wrapValue(value, type);
    }

    /** Does nothing on the driver after the checkout or the owner has ended, because everything is closed then. */
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
            throw failed(e);
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
        return leaving(r::isClosed);
    }

    @Override
    @SuppressWarnings("NullAway") // JDBC returns null for some result sets
    public final Statement getStatement() throws SQLException {
        open();
        return leaving(owner::statement);
    }

    @Override
    public final <T> T unwrap(Class<T> type) throws SQLException {
        ResultSet r = open();
        return leaving(() -> {
            if (type.isInstance(this)) {
                return type.cast(this);
            }
            owner.connection.exposing();
            return Unwrapping.unwrap(r, type);
        });
    }

    @Override
    public final boolean isWrapperFor(Class<?> type) throws SQLException {
        ResultSet r = open();
        return leaving(() -> Unwrapping.isWrapperFor(this, r, type));
    }

    @Override
    public final String toString() {
        ResultSet r = raw;
        return "WrappedResultSet[" + (r == null ? "closed" : r.getClass().getName()) + "]";
    }
}
