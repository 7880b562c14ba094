package dev.reservoir.remote.adapter.jdbc;

import dev.reservoir.remote.adapter.AdapterSession;
import dev.reservoir.remote.adapter.Capability;
import dev.reservoir.remote.adapter.DatabaseAdapter;
import dev.reservoir.remote.adapter.QueryResult;
import dev.reservoir.remote.adapter.RemoteCursor;
import dev.reservoir.remote.adapter.RemoteFailure;
import dev.reservoir.remote.adapter.RemoteStatement;
import dev.reservoir.remote.adapter.ResetResult;
import dev.reservoir.remote.adapter.SessionInfo;
import dev.reservoir.remote.adapter.SessionObserver;
import dev.reservoir.remote.adapter.SessionStats;
import dev.reservoir.remote.adapter.TransactionState;
import dev.reservoir.remote.adapter.catalog.ColumnInfo;
import dev.reservoir.remote.adapter.catalog.ForeignKeyInfo;
import dev.reservoir.remote.adapter.catalog.IndexInfo;
import dev.reservoir.remote.adapter.catalog.PrimaryKeyInfo;
import dev.reservoir.remote.adapter.catalog.SchemaInfo;
import dev.reservoir.remote.adapter.catalog.TableInfo;
import dev.reservoir.remote.model.ConnectionState;
import dev.reservoir.remote.model.RemoteErrorCode;
import dev.reservoir.remote.model.RemoteException;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A session on a JDBC connection. */
final class JdbcSession implements AdapterSession {
    /**
     * How much longer than a statement the driver waits for the server. A statement is cancelled first. Only if that
     * has no effect, the server is considered dead and the connection ends.
     */
    private static final Duration NETWORK_GRACE = Duration.ofSeconds(10);

    /** Longest wait for the answer to a ping. */
    private static final long PING_MILLIS_MAX = 3_600_000;

    private final JdbcAdapter adapter;
    private final DriverProfile profile;
    private final Connection connection;
    private final Duration queryTimeout;
    private final boolean boundsNetwork;
    private final @Nullable String role;
    private final @Nullable String restoreStatement;
    private final SessionDefaults defaults;
    private final SessionCalls calls;
    private final SessionTransaction transaction;
    private final CatalogReader catalog;
    private final SessionStatements statements;

    private JdbcSession(
            JdbcAdapter adapter,
            DriverProfile profile,
            Connection connection,
            ConnectOptions options,
            Properties properties,
            PasswordMask mask,
            SessionObserver observer)
            throws SQLException {
        this.adapter = adapter;
        this.profile = profile;
        this.connection = connection;
        queryTimeout = options.server().pool().queryTimeout();
        String property = profile.socketTimeoutProperty();
        boundsNetwork = !options.server().driverOptions().containsKey(property)
                && !options.mapping().driverOptions().containsKey(property);
        role = profile.role(connection);
        restoreStatement = profile.restoreStatement(connection, properties);
        defaults = SessionDefaults.of(connection, profile.restored());
        calls = new SessionCalls(adapter, profile, connection, options.server(), mask, observer);
        transaction = new SessionTransaction(calls);
        statements = new SessionStatements(calls, transaction);
        catalog = new CatalogReader(connection, profile.namespace());
    }

    /** Makes a session of a connection that was just opened. */
    static JdbcSession open(
            JdbcAdapter adapter,
            DriverProfile profile,
            Connection connection,
            ConnectOptions options,
            Properties properties,
            PasswordMask mask,
            SessionObserver observer)
            throws SQLException {
        JdbcSession session = new JdbcSession(adapter, profile, connection, options, properties, mask, observer);
        session.boundNetwork(session.queryTimeout);
        return session;
    }

    /** Replaces the network timeout, which until now was the one of the connect. */
    private void boundNetwork(Duration timeout) throws SQLException {
        if (boundsNetwork) {
            Duration bound = timeout.isZero() ? Duration.ZERO : timeout.plus(NETWORK_GRACE);
            connection.setNetworkTimeout(Runnable::run, (int) bound.toMillis());
        }
    }

    @Override
    public DatabaseAdapter adapter() {
        return adapter;
    }

    @Override
    public Connection connection() {
        return connection;
    }

    @Override
    public ConnectionState state() {
        return calls.state();
    }

    @Override
    public Set<Capability> capabilities() {
        return profile.capabilities(connection);
    }

    @Override
    public SessionStats stats() {
        return calls.stats();
    }

    @Override
    public RemoteFailure report(SQLException error) {
        return calls.report(error);
    }

    @Override
    public SessionInfo info() throws RemoteException {
        return calls.call(() -> {
            DatabaseMetaData metaData = connection.getMetaData();
            return new SessionInfo(
                    String.valueOf(metaData.getDatabaseProductName()),
                    String.valueOf(metaData.getDatabaseProductVersion()),
                    metaData.getDriverName() + " " + metaData.getDriverVersion(),
                    String.valueOf(metaData.getUserName()),
                    profile.isEncrypted(connection));
        });
    }

    // Health and reuse

    @Override
    public void ping(Duration timeout) throws RemoteException {
        long millis = Math.max(1, Math.min(PING_MILLIS_MAX, TimeUnit.MILLISECONDS.convert(timeout)));
        int seconds = (int) Math.max(1, (millis + 999) / 1_000);
        boolean alive = calls.call(() -> {
            // Not every driver keeps the timeout of isValid.
            if (boundsNetwork) {
                connection.setNetworkTimeout(Runnable::run, (int) millis);
            }
            boolean valid = connection.isValid(seconds);
            if (valid) {
                boundNetwork(calls.queryTimeout());
            }
            return valid;
        });
        if (!alive) {
            calls.move(ConnectionState.FAILED);
            throw new RemoteException(
                    RemoteErrorCode.NETWORK_ERROR, "the server did not answer a ping within " + millis + " ms");
        }
    }

    @Override
    public void finish() throws RemoteException {
        endUse();
        transaction.rollbackLeftover();
    }

    private void endUse() throws RemoteException {
        statements.closeAll();
        transaction.rollback();
        if (!calls.queryTimeout().equals(queryTimeout)) {
            setQueryTimeout(queryTimeout);
        }
    }

    @Override
    public ResetResult reset() throws RemoteException {
        endUse();
        return calls.call(() -> {
            if (defaults.mustReplace(connection)) {
                return ResetResult.REPLACE;
            }
            defaults.restore(connection);
            ResetResult result = profile.reset(connection);
            if (restoreStatement != null) {
                try (Statement statement = connection.createStatement()) {
                    statement.execute(restoreStatement);
                }
            }
            boundNetwork(queryTimeout);
            return Objects.equals(profile.role(connection), role) ? result : ResetResult.REPLACE;
        });
    }

    // Statements

    @Override
    public QueryResult query(String sql, @Nullable Object... parameters) throws RemoteException {
        return statements.query(sql, parameters);
    }

    @Override
    public long update(String sql, @Nullable Object... parameters) throws RemoteException {
        return statements.update(sql, parameters);
    }

    @Override
    public RemoteStatement prepare(String sql) throws RemoteException {
        return statements.prepare(sql);
    }

    @Override
    public RemoteCursor openCursor(String sql, int fetchSize, @Nullable Object... parameters) throws RemoteException {
        return statements.openCursor(sql, fetchSize, parameters);
    }

    @Override
    public boolean cancel() throws RemoteException {
        return calls.cancel();
    }

    @Override
    public void setQueryTimeout(Duration timeout) throws RemoteException {
        if (timeout.isNegative() || timeout.compareTo(QUERY_TIMEOUT_MAX) > 0) {
            throw RemoteException.invalidOption(
                    "query_timeout",
                    TimeUnit.MILLISECONDS.convert(timeout),
                    "0 to " + QUERY_TIMEOUT_MAX.toMillis() + " ms");
        }
        calls.run(() -> boundNetwork(timeout));
        calls.setQueryTimeout(timeout);
    }

    // Transactions

    @Override
    public TransactionState transactionState() throws RemoteException {
        return transaction.state();
    }

    @Override
    public void begin() throws RemoteException {
        transaction.begin();
    }

    @Override
    public void commit() throws RemoteException {
        transaction.commit();
    }

    @Override
    public void rollback() throws RemoteException {
        transaction.rollback();
    }

    @Override
    public void savepoint(String name) throws RemoteException {
        transaction.savepoint(name);
    }

    @Override
    public void rollbackTo(String savepoint) throws RemoteException {
        transaction.rollbackTo(savepoint);
    }

    @Override
    public void release(String savepoint) throws RemoteException {
        transaction.release(savepoint);
    }

    // Catalog

    @Override
    public List<SchemaInfo> schemas() throws RemoteException {
        return calls.call(catalog::schemas);
    }

    @Override
    public List<TableInfo> tables(String schema) throws RemoteException {
        return calls.call(() -> catalog.tables(schema));
    }

    @Override
    public List<ColumnInfo> columns(String schema, String table) throws RemoteException {
        return calls.call(() -> catalog.columns(schema, table));
    }

    @Override
    public List<IndexInfo> indexes(String schema, String table) throws RemoteException {
        return calls.call(() -> catalog.indexes(schema, table));
    }

    @Override
    public Optional<PrimaryKeyInfo> primaryKey(String schema, String table) throws RemoteException {
        return calls.call(() -> catalog.primaryKey(schema, table));
    }

    @Override
    public List<ForeignKeyInfo> foreignKeys(String schema, String table) throws RemoteException {
        return calls.call(() -> catalog.foreignKeys(schema, table));
    }

    // End

    @Override
    public void abort() {
        calls.move(ConnectionState.CLOSING);
        try {
            connection.abort(Runnable::run);
        } catch (SQLException | RuntimeException e) {
            // Nothing else can be done for a connection that cannot even be aborted.
            return;
        } finally {
            calls.move(ConnectionState.DISCONNECTED);
        }
    }

    @Override
    public void close() {
        calls.move(ConnectionState.CLOSING);
        try {
            connection.close();
        } catch (SQLException | RuntimeException e) {
            // The connection is of no use any more, and the server ends the session by itself.
            return;
        } finally {
            calls.move(ConnectionState.DISCONNECTED);
        }
    }
}
