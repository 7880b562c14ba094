package dev.reservoir.remote;

import dev.reservoir.remote.adapter.AdapterSession;
import dev.reservoir.remote.adapter.Capability;
import dev.reservoir.remote.adapter.DatabaseAdapter;
import dev.reservoir.remote.adapter.QueryResult;
import dev.reservoir.remote.adapter.RemoteCursor;
import dev.reservoir.remote.adapter.RemoteFailure;
import dev.reservoir.remote.adapter.RemoteStatement;
import dev.reservoir.remote.adapter.ResetResult;
import dev.reservoir.remote.adapter.SessionInfo;
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
import dev.reservoir.remote.pool.UserPool;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A connection of the registry in use. {@link #close} and {@link #release} give it back; after that, each use is an
 * error. The operations are those of {@link AdapterSession}; {@link #connection} is for JDBC. Both can be mixed.
 *
 * <p>One thread at a time uses it, as with an {@link AdapterSession}. If a thread releases it while another one is in a
 * call, the connection is closed and not handed out again.
 */
public final class PooledRemoteConnection implements AdapterSession {
    private static final VarHandle CALLS;
    private static final VarHandle FAILURE;

    /** The values of {@link #failure}: nobody saw one, it is counted, it was counted until the release. */
    private static final int NONE = 0;

    private static final int COUNTED = 1;
    private static final int COUNTED_BEFORE = 2;

    /** Added to {@link #calls} at the release. More calls than this cannot be under way. */
    private static final int RELEASED = 1 << 30;

    static {
        try {
            CALLS = MethodHandles.lookup().findVarHandle(PooledRemoteConnection.class, "calls", int.class);
            FAILURE = MethodHandles.lookup().findVarHandle(PooledRemoteConnection.class, "failure", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** The user and the pool. One field for both, because each acquire makes an object of this class. */
    private final AcquireRoutes.Route route;

    private final Connection connection;

    /** Made by the first operation that needs it. */
    private volatile @Nullable AdapterSession session;

    /** How many calls are under way, plus {@link #RELEASED} after the release. */
    @SuppressWarnings("UnusedVariable") // CALLS reads and writes it
    private int calls;

    /** Whether the connection is counted as failed. */
    @SuppressWarnings("UnusedVariable") // FAILURE reads and writes it
    private int failure;

    PooledRemoteConnection(AcquireRoutes.Route route, Connection connection) {
        this.route = route;
        this.connection = connection;
    }

    private UserPool pool() {
        return route.pool();
    }

    // What it is.

    public String serverName() {
        return pool().server().name();
    }

    /** The local user that acquired it. */
    public String localUser() {
        return route.localUser();
    }

    /** The remote user that is logged in. */
    public String remoteUser() {
        return pool().mapping().remoteUser();
    }

    /**
     * The connection for JDBC. Closing it is the same as {@link #release}.
     *
     * @throws IllegalStateException after the release
     */
    @Override
    public Connection connection() {
        checkInUse();
        return connection;
    }

    /** Whether it is in use and the server answers within the timeout. Blocks. Never throws. */
    public boolean isValid(Duration timeout) {
        try {
            ping(timeout);
            return true;
        } catch (RemoteException e) {
            return false;
        }
    }

    /** Whether it was given back, by {@link #release} or by closing {@link #connection}. */
    public boolean isReleased() {
        return (int) CALLS.getVolatile(this) >= RELEASED || closedByJdbc();
    }

    /** Whether the caller closed {@link #connection}. A connection that the driver closed is still in use. */
    private boolean closedByJdbc() {
        try {
            return connection.isClosed() && !session().connection().isClosed();
        } catch (SQLException closed) {
            return true;
        }
    }

    // Release.

    /**
     * Gives the connection back: rolls back, resets the session, and closes the connection if that fails. Does nothing
     * if it was released before. Blocks while the server resets the session.
     */
    public void release() {
        int before = (int) CALLS.getAndBitwiseOr(this, RELEASED);
        if (before >= RELEASED) {
            return;
        }
        try {
            if (before == 0) {
                connection.close();
            } else {
                // Another thread is in a call.
                connection.abort(Runnable::run);
            }
        } catch (SQLException e) {
            throw new IllegalStateException("bug: a release failed", e);
        } finally {
            endFailure();
        }
    }

    /** Does the same as {@link #release}. */
    @Override
    public void close() {
        release();
    }

    /**
     * Makes the registry close the connection on release instead of handing it out again. Does not block.
     *
     * @throws IllegalStateException after the release
     */
    public void markFailed() {
        checkInUse();
        discardOnRelease();
    }

    void checkInUse() {
        if (isReleased()) {
            throw new IllegalStateException(released());
        }
    }

    private void discardOnRelease() {
        try {
            pool().discardOnRelease(connection);
        } catch (SQLException released) {
            // It has left the pool already.
            return;
        }
    }

    // The operations of the session.

    @Override
    public DatabaseAdapter adapter() {
        return sessionOrBug().adapter();
    }

    @Override
    public ConnectionState state() {
        return isReleased() ? ConnectionState.DISCONNECTED : sessionOrBug().state();
    }

    @Override
    public Set<Capability> capabilities() {
        return sessionOrBug().capabilities();
    }

    @Override
    public SessionStats stats() {
        return sessionOrBug().stats();
    }

    @Override
    public SessionInfo info() throws RemoteException {
        return call(AdapterSession::info);
    }

    @Override
    public RemoteFailure report(SQLException error) {
        return sessionOrBug().report(error);
    }

    @Override
    public void ping(Duration timeout) throws RemoteException {
        run(s -> s.ping(timeout));
    }

    @Override
    public void finish() throws RemoteException {
        run(AdapterSession::finish);
    }

    @Override
    public ResetResult reset() throws RemoteException {
        return call(AdapterSession::reset);
    }

    @Override
    public QueryResult query(String sql, @Nullable Object... parameters) throws RemoteException {
        return call(s -> s.query(sql, parameters));
    }

    @Override
    public long update(String sql, @Nullable Object... parameters) throws RemoteException {
        return call(s -> s.update(sql, parameters));
    }

    @Override
    public RemoteStatement prepare(String sql) throws RemoteException {
        return new PooledStatement(this, call(s -> s.prepare(sql)));
    }

    /** Opens a cursor with the server's {@code fetch_size}. */
    public RemoteCursor openCursor(String sql) throws RemoteException {
        return openCursor(sql, pool().server().pool().fetchSize());
    }

    @Override
    public RemoteCursor openCursor(String sql, int fetchSize, @Nullable Object... parameters) throws RemoteException {
        return new PooledCursor(this, call(s -> s.openCursor(sql, fetchSize, parameters)));
    }

    @Override
    public boolean cancel() throws RemoteException {
        return call(AdapterSession::cancel);
    }

    @Override
    public void setQueryTimeout(Duration timeout) throws RemoteException {
        run(s -> s.setQueryTimeout(timeout));
    }

    @Override
    public TransactionState transactionState() throws RemoteException {
        return call(AdapterSession::transactionState);
    }

    @Override
    public void begin() throws RemoteException {
        run(AdapterSession::begin);
    }

    @Override
    public void commit() throws RemoteException {
        run(AdapterSession::commit);
    }

    @Override
    public void rollback() throws RemoteException {
        run(AdapterSession::rollback);
    }

    @Override
    public void savepoint(String name) throws RemoteException {
        run(s -> s.savepoint(name));
    }

    @Override
    public void rollbackTo(String savepoint) throws RemoteException {
        run(s -> s.rollbackTo(savepoint));
    }

    @Override
    public void release(String savepoint) throws RemoteException {
        run(s -> s.release(savepoint));
    }

    @Override
    public List<SchemaInfo> schemas() throws RemoteException {
        return call(AdapterSession::schemas);
    }

    @Override
    public List<TableInfo> tables(String schema) throws RemoteException {
        return call(s -> s.tables(schema));
    }

    @Override
    public List<ColumnInfo> columns(String schema, String table) throws RemoteException {
        return call(s -> s.columns(schema, table));
    }

    @Override
    public List<IndexInfo> indexes(String schema, String table) throws RemoteException {
        return call(s -> s.indexes(schema, table));
    }

    @Override
    public Optional<PrimaryKeyInfo> primaryKey(String schema, String table) throws RemoteException {
        return call(s -> s.primaryKey(schema, table));
    }

    @Override
    public List<ForeignKeyInfo> foreignKeys(String schema, String table) throws RemoteException {
        return call(s -> s.foreignKeys(schema, table));
    }

    /** Ends the connection without waiting for the server, and releases it. Any thread may call it. */
    @Override
    public void abort() {
        if ((int) CALLS.getAndBitwiseOr(this, RELEASED) < RELEASED) {
            try {
                connection.abort(Runnable::run);
            } catch (SQLException e) {
                throw new IllegalStateException("bug: an abort failed", e);
            } finally {
                endFailure();
            }
        }
    }

    // How a call reaches the session.

    void run(Action action) throws RemoteException {
        call(s -> {
            action.run(s);
            return this;
        });
    }

    /** Makes a call to the session, or throws if the connection was released. A release sees that it is under way. */
    <R> R call(Operation<R> operation) throws RemoteException {
        int before = (int) CALLS.getAndAdd(this, 1);
        try {
            if (before >= RELEASED || closedByJdbc()) {
                throw new RemoteException(RemoteErrorCode.CONNECTION_FAILED, released());
            }
            AdapterSession used = session();
            try {
                return operation.run(used);
            } finally {
                if (used.state() == ConnectionState.FAILED) {
                    countFailure();
                    discardOnRelease();
                }
            }
        } finally {
            CALLS.getAndAdd(this, -1);
        }
    }

    private void countFailure() {
        if (FAILURE.compareAndSet(this, NONE, COUNTED)) {
            pool().failed();
            if (isReleased()) {
                // The release may not have seen it.
                endFailure();
            }
        }
    }

    private void endFailure() {
        if ((int) FAILURE.getVolatile(this) == COUNTED && FAILURE.compareAndSet(this, COUNTED, COUNTED_BEFORE)) {
            pool().failedReleased();
        }
    }

    private AdapterSession session() throws RemoteException {
        AdapterSession present = session;
        if (present == null) {
            present = pool().sessionOf(connection);
            session = present;
        }
        return present;
    }

    private AdapterSession sessionOrBug() {
        checkInUse();
        try {
            return session();
        } catch (RemoteException e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
    }

    private String released() {
        return "this connection to " + serverName() + " was released by " + localUser() + "; acquire another one";
    }

    @Override
    public String toString() {
        return "PooledRemoteConnection[" + serverName() + ", " + localUser() + (isReleased() ? ", released]" : "]");
    }

    @FunctionalInterface
    interface Operation<R> {
        R run(AdapterSession session) throws RemoteException;
    }

    @FunctionalInterface
    interface Action {
        void run(AdapterSession session) throws RemoteException;
    }
}
