package dev.reservoir.jdbc.wrap;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * Stands for a result set that no statement of the borrower owns: one of the database's metadata, or a cursor that came
 * back as a value. It is closed on return by itself, as the statement behind it is the driver's affair.
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
                WrappedStatement inUse = connection.wrap(s);
                inUse.watchesResults = true;
                statement = inUse;
            }
        }
        return statement;
    }
}
