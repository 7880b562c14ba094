package dev.reservoir.jdbc.wrap;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * Tracks a result set that no statement of the caller owns: one of the metadata, or a cursor that was returned as a
 * value. On release the result set is closed alone, because the statement behind it belongs to the driver.
 */
final class UnownedResultSet extends Tracked {
    private @Nullable ResultSet raw;
    private @Nullable WrappedStatement statement;

    UnownedResultSet(ConnectionBase connection, ResultSet raw) {
        super(connection);
        this.raw = raw;
        this.watchesResults = true;
    }

    @Override
    void closeOnReturn() throws SQLException {
        ResultSet r = raw;
        raw = null;
        if (r != null) {
            r.close();
        }
    }

    @Override
    void detach() {
        raw = null;
    }

    @Override
    boolean isGone() {
        return raw == null;
    }

    @Override
    void resultClosed() {
        raw = null;
        connection.untrack(this);
        WrappedStatement s = statement;
        if (s != null) {
            s.resultClosed();
        }
    }

    @Override
    @Nullable
    Statement statement() throws SQLException {
        ResultSet r = raw;
        if (r == null) {
            throw connection.closed("result set");
        }
        if (statement == null) {
            Statement s = r.getStatement();
            if (s != null) {
                WrappedStatement wrapped = connection.wrap(s);
                wrapped.watchesResults = true;
                statement = wrapped;
            }
        }
        return statement;
    }
}
