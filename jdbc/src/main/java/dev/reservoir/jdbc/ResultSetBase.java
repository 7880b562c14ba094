package dev.reservoir.jdbc;

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

    /** The driver's result set, while this one is open. */
    final ResultSet open() throws SQLException {
        ResultSet r = raw;
        if (r == null || owner.slot == Tracked.CLOSED) {
            throw owner.connection.closed("result set");
        }
        return r;
    }

    /** The same, for a call after which a transaction may be open. */
    final ResultSet run() throws SQLException {
        ResultSet r = open();
        owner.connection.running();
        return r;
    }

    /** The same, for a call that hands out something of the driver's that can start a transaction by itself. */
    final ResultSet expose() throws SQLException {
        ResultSet r = open();
        owner.connection.exposing();
        return r;
    }

    final SQLException failed(SQLException e) {
        return owner.connection.failed(e);
    }

    final @Nullable Object lendValue(@Nullable Object value) throws SQLException {
        return owner.connection.lendValue(value);
    }

    final <T> @Nullable T lendValue(@Nullable T value, Class<T> type) throws SQLException {
        return owner.connection.lendValue(value, type);
    }

    @Override
    public final void close() throws SQLException {
        ResultSet r = raw;
        if (r == null) {
            return;
        }
        raw = null;
        if (owner.slot == Tracked.CLOSED) {
            return;
        }
        try {
            r.close();
        } catch (SQLException e) {
            throw failed(e);
        } finally {
            if (owner.watchesResults) {
                owner.resultClosed();
            }
        }
    }

    @Override
    public final boolean isClosed() throws SQLException {
        ResultSet r = raw;
        if (r == null || owner.slot == Tracked.CLOSED) {
            return true;
        }
        try {
            return r.isClosed();
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    @Override
    @SuppressWarnings("NullAway") // JDBC has no statement for some result sets
    public final Statement getStatement() throws SQLException {
        open();
        try {
            return owner.statement();
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    @Override
    public final <T> T unwrap(Class<T> type) throws SQLException {
        ResultSet r = open();
        if (type.isInstance(this)) {
            return type.cast(this);
        }
        owner.connection.exposing();
        try {
            return Unwrapping.unwrap(r, type);
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    @Override
    public final boolean isWrapperFor(Class<?> type) throws SQLException {
        ResultSet r = open();
        try {
            return Unwrapping.isWrapperFor(this, r, type);
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    @Override
    public final String toString() {
        ResultSet r = raw;
        return "LentResultSet[" + (r == null ? "closed" : r.getClass().getName()) + "]";
    }
}
