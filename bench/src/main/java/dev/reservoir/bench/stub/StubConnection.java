package dev.reservoir.bench.stub;

import java.sql.Array;
import java.sql.Blob;
import java.sql.CallableStatement;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.NClob;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLWarning;
import java.sql.SQLXML;
import java.sql.Savepoint;
import java.sql.Statement;
import java.sql.Struct;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A connection to nothing. It remembers its session settings, as a driver does, and creates statements. Never does any
 * work. A subclass adds a server by overriding {@link #use()}, {@link #isValid(int)} and {@link #close()}.
 */
public class StubConnection implements Connection {

    private volatile boolean closed;
    private boolean autoCommit = true;
    private boolean readOnly;
    private int isolation = TRANSACTION_READ_COMMITTED;
    private int holdability = ResultSet.CLOSE_CURSORS_AT_COMMIT;
    private int networkTimeoutMillis;
    private long statementsRun;
    private @Nullable String catalog = "stub";
    private @Nullable String schema = "public";

    /**
     * Called before a statement runs. A subclass throws if its server would refuse the statement. The count prevents a
     * compiler that sees through a pool's wrappers from removing the statement.
     */
    protected void use() throws SQLException {
        statementsRun++;
    }

    /** The number of statements that ran on this connection, as its last user saw it. */
    public long statementsRun() {
        return statementsRun;
    }

    @Override
    public Statement createStatement() throws SQLException {
        return new StubStatement(this);
    }

    @Override
    public Statement createStatement(int type, int concurrency) throws SQLException {
        return new StubStatement(this);
    }

    @Override
    public Statement createStatement(int type, int concurrency, int holdability) throws SQLException {
        return new StubStatement(this);
    }

    @Override
    public void close() throws SQLException {
        closed = true;
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public boolean isValid(int timeoutSeconds) {
        return !closed;
    }

    @Override
    public void abort(Executor executor) throws SQLException {
        close();
    }

    @Override
    public void setAutoCommit(boolean autoCommit) {
        this.autoCommit = autoCommit;
    }

    @Override
    public boolean getAutoCommit() {
        return autoCommit;
    }

    @Override
    public void commit() {}

    @Override
    public void rollback() {}

    @Override
    public void rollback(Savepoint savepoint) {}

    @Override
    public void setReadOnly(boolean readOnly) {
        this.readOnly = readOnly;
    }

    @Override
    public boolean isReadOnly() {
        return readOnly;
    }

    @Override
    public void setCatalog(@Nullable String catalog) {
        this.catalog = catalog;
    }

    @Override
    public @Nullable String getCatalog() {
        return catalog;
    }

    @Override
    public void setSchema(@Nullable String schema) {
        this.schema = schema;
    }

    @Override
    public @Nullable String getSchema() {
        return schema;
    }

    @Override
    public void setTransactionIsolation(int level) {
        this.isolation = level;
    }

    @Override
    public int getTransactionIsolation() {
        return isolation;
    }

    @Override
    public void setHoldability(int holdability) {
        this.holdability = holdability;
    }

    @Override
    public int getHoldability() {
        return holdability;
    }

    @Override
    public void setNetworkTimeout(@Nullable Executor executor, int milliseconds) {
        this.networkTimeoutMillis = milliseconds;
    }

    @Override
    public int getNetworkTimeout() {
        return networkTimeoutMillis;
    }

    @Override
    public @Nullable SQLWarning getWarnings() {
        return null;
    }

    @Override
    public void clearWarnings() {}

    @Override
    public String nativeSQL(String sql) {
        return sql;
    }

    @Override
    public Map<String, Class<?>> getTypeMap() {
        return Map.of();
    }

    @Override
    public void setTypeMap(Map<String, Class<?>> map) {}

    @Override
    public void setClientInfo(String name, String value) {}

    @Override
    public void setClientInfo(Properties properties) {}

    @Override
    public @Nullable String getClientInfo(String name) {
        return null;
    }

    @Override
    public Properties getClientInfo() {
        return new Properties();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        if (type.isInstance(this)) {
            return type.cast(this);
        }
        throw new SQLException("a stub connection is no " + type.getName());
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return type.isInstance(this);
    }

    @Override
    public DatabaseMetaData getMetaData() throws SQLException {
        throw unsupported("metadata");
    }

    @Override
    public PreparedStatement prepareStatement(String sql) throws SQLException {
        throw unsupported("prepared statements");
    }

    @Override
    public PreparedStatement prepareStatement(String sql, int type, int concurrency) throws SQLException {
        throw unsupported("prepared statements");
    }

    @Override
    public PreparedStatement prepareStatement(String sql, int type, int concurrency, int holdability)
            throws SQLException {
        throw unsupported("prepared statements");
    }

    @Override
    public PreparedStatement prepareStatement(String sql, int autoGeneratedKeys) throws SQLException {
        throw unsupported("prepared statements");
    }

    @Override
    public PreparedStatement prepareStatement(String sql, int[] columnIndexes) throws SQLException {
        throw unsupported("prepared statements");
    }

    @Override
    public PreparedStatement prepareStatement(String sql, String[] columnNames) throws SQLException {
        throw unsupported("prepared statements");
    }

    @Override
    public CallableStatement prepareCall(String sql) throws SQLException {
        throw unsupported("calls");
    }

    @Override
    public CallableStatement prepareCall(String sql, int type, int concurrency) throws SQLException {
        throw unsupported("calls");
    }

    @Override
    public CallableStatement prepareCall(String sql, int type, int concurrency, int holdability) throws SQLException {
        throw unsupported("calls");
    }

    @Override
    public Savepoint setSavepoint() throws SQLException {
        throw unsupported("savepoints");
    }

    @Override
    public Savepoint setSavepoint(String name) throws SQLException {
        throw unsupported("savepoints");
    }

    @Override
    public void releaseSavepoint(Savepoint savepoint) throws SQLException {
        throw unsupported("savepoints");
    }

    @Override
    public Clob createClob() throws SQLException {
        throw unsupported("large objects");
    }

    @Override
    public Blob createBlob() throws SQLException {
        throw unsupported("large objects");
    }

    @Override
    public NClob createNClob() throws SQLException {
        throw unsupported("large objects");
    }

    @Override
    public SQLXML createSQLXML() throws SQLException {
        throw unsupported("XML");
    }

    @Override
    public Array createArrayOf(String typeName, Object[] elements) throws SQLException {
        throw unsupported("arrays");
    }

    @Override
    public Struct createStruct(String typeName, Object[] attributes) throws SQLException {
        throw unsupported("structs");
    }

    private static SQLException unsupported(String what) {
        return new SQLFeatureNotSupportedException("the stub driver has no " + what);
    }
}
