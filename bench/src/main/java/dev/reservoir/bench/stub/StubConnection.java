package dev.reservoir.bench.stub;

import com.mchange.v2.sql.filter.FilterConnection;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A connection to nothing. It remembers its session settings, as a driver does, and creates statements. Never does any
 * work. A subclass adds a server by overriding {@link #use()}, {@link #isValid(int)} and {@link #close()}. The methods
 * that no measurement calls are in a proxy, to which the superclass passes them on.
 */
@SuppressWarnings("unchecked") // unwrap, as the superclass declares it
public class StubConnection extends FilterConnection {

    private static final Connection REST = Unsupported.proxy(Connection.class);

    private volatile boolean closed;
    private boolean autoCommit = true;
    private boolean readOnly;
    private int isolation = TRANSACTION_READ_COMMITTED;
    private int holdability = ResultSet.CLOSE_CURSORS_AT_COMMIT;
    private int networkTimeoutMillis;
    private long statementsRun;
    private @Nullable String catalog = "stub";
    private @Nullable String schema = "public";

    public StubConnection() {
        super(REST);
    }

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
    public @Nullable String getClientInfo(String name) {
        return null;
    }

    @Override
    public Properties getClientInfo() {
        return new Properties();
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
