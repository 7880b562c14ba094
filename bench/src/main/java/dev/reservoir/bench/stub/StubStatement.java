package dev.reservoir.bench.stub;

import com.mchange.v2.sql.filter.FilterStatement;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * A statement that accepts every text and changes no row. Never returns a result set. The methods that no measurement
 * calls are in a proxy, to which the superclass passes them on.
 */
@SuppressWarnings("unchecked") // unwrap, as the superclass declares it
public final class StubStatement extends FilterStatement {

    private static final Statement REST = Unsupported.proxy(Statement.class);

    private final StubConnection connection;
    private boolean closed;

    StubStatement(StubConnection connection) {
        super(REST);
        this.connection = connection;
    }

    @Override
    public boolean execute(String sql) throws SQLException {
        connection.use();
        return false;
    }

    @Override
    public int executeUpdate(String sql) throws SQLException {
        connection.use();
        return 0;
    }

    @Override
    public void close() {
        closed = true;
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public Connection getConnection() {
        return connection;
    }

    @Override
    public @Nullable SQLWarning getWarnings() {
        return null;
    }

    @Override
    public void clearWarnings() {}

    @Override
    public @Nullable ResultSet getResultSet() {
        return null;
    }

    @Override
    public int getUpdateCount() {
        return -1;
    }

    @Override
    public boolean getMoreResults() {
        return false;
    }

    @Override
    @SuppressWarnings("rawtypes") // as the superclass declares it
    public Object unwrap(Class type) throws SQLException {
        return Unsupported.unwrap(this, type);
    }

    @Override
    @SuppressWarnings("rawtypes") // as the superclass declares it
    public boolean isWrapperFor(Class type) {
        return type.isInstance(this);
    }
}
