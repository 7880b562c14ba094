package dev.reservoir.remote.pool;

import dev.reservoir.remote.adapter.AdapterSession;
import dev.reservoir.remote.adapter.DatabaseAdapter;
import dev.reservoir.remote.adapter.ResetResult;
import dev.reservoir.remote.adapter.SessionObserver;
import dev.reservoir.remote.model.PoolConfiguration;
import dev.reservoir.remote.model.RemoteErrorCode;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.ServerDefinition;
import dev.reservoir.remote.model.UserMapping;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Opens the physical connections of a user pool through the adapter, and keeps the adapter's session of each. Each
 * connect reads the secret again. Never pools and never closes a connection; the JDBC door does.
 */
final class AdapterConnections implements DataSource {
    private final DatabaseAdapter adapter;
    private final ServerDefinition server;
    private final UserMapping mapping;
    private final SessionObserver observer;
    private final ServerLeases.@Nullable Share share;

    /** The sessions of open connections. Guarded by its own monitor. A closed connection leaves at the next connect. */
    private final IdentityHashMap<Connection, AdapterSession> sessions = new IdentityHashMap<>();

    /** The statements of connections that were forgotten, and their time. Guarded by the monitor of the sessions. */
    private final long[] finishedQueries = new long[2];

    private volatile Class<?> driverType = Connection.class;

    AdapterConnections(
            DatabaseAdapter adapter,
            ServerDefinition server,
            UserMapping mapping,
            SessionObserver observer,
            ServerLeases.@Nullable Share share) {
        this.share = share;
        this.adapter = adapter;
        this.server = server;
        this.mapping = mapping;
        this.observer = observer;
    }

    /** Opens a connection. Blocks, at most for {@code connect_timeout}. */
    @Override
    public Connection getConnection() throws SQLException {
        if (share == null) {
            return connect();
        }
        share.connectBegan();
        try {
            Connection connection = connect();
            if (share.hasLeft()) {
                // Nobody waits for it any more, and its place must not be free before it is closed.
                connection.close();
                throw new RemoteException(
                        RemoteErrorCode.CONNECTION_FAILED, server.name() + ": the pool ended during the connect");
            }
            return connection;
        } finally {
            share.connectEnded();
        }
    }

    private Connection connect() throws SQLException {
        AdapterSession session = adapter.connect(server, mapping, server.pool().connectTimeout(), observer);
        Connection connection = session.connection();
        driverType = connection.getClass();
        synchronized (sessions) {
            forgetClosed();
            sessions.put(connection, session);
        }
        return connection;
    }

    private void forgetClosed() {
        for (Connection connection : List.copyOf(sessions.keySet())) {
            boolean closed;
            try {
                closed = connection.isClosed();
            } catch (SQLException unknown) {
                closed = true;
            }
            if (closed) {
                addTo(finishedQueries, sessions.remove(connection));
            }
        }
    }

    private static void addTo(long[] sums, @Nullable AdapterSession session) {
        if (session != null) {
            sums[0] += session.stats().queries();
            sums[1] += session.stats().queryNanos();
        }
    }

    /** The session behind a connection that the pool handed out. The pool then resets the connection on release. */
    AdapterSession sessionOf(Connection handedOut) throws RemoteException {
        try {
            Object driver = handedOut.unwrap(driverType);
            AdapterSession session = driver instanceof Connection connection ? find(connection) : null;
            if (session != null) {
                return session;
            }
        } catch (SQLException e) {
            throw new RemoteException(RemoteErrorCode.CONNECTION_FAILED, server.name() + ": " + e.getMessage(), e);
        }
        throw new IllegalStateException("bug: no session for a connection of " + server.name());
    }

    /** The session of this connection of the driver, or null. */
    @Nullable
    AdapterSession find(Connection driver) {
        synchronized (sessions) {
            return sessions.get(driver);
        }
    }

    /** Clears a session when its user releases it. */
    void reset(Connection driver) throws SQLException {
        AdapterSession session = find(driver);
        if (session == null) {
            throw new SQLException("bug: no session for a connection of " + server.name(), "HY000");
        }
        PoolConfiguration pool = server.pool();
        if (!pool.resetOnRelease()) {
            session.finish();
        } else if (session.reset() == ResetResult.REPLACE) {
            throw new SQLException("the database keeps state of the session that cannot be reset", "HY000");
        }
        if (pool.validateOnRelease()) {
            session.ping(server.health().timeout());
        }
    }

    /** Statements that went through sessions: their number, and their time in nanoseconds. Neither ever falls. */
    long[] queries() {
        synchronized (sessions) {
            long[] sums = finishedQueries.clone();
            sessions.values().forEach(session -> addTo(sums, session));
            return sums;
        }
    }

    @Override
    public Connection getConnection(@Nullable String user, @Nullable String password) throws SQLException {
        throw new SQLFeatureNotSupportedException("the user comes from the mapping", "0A000");
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public void setLogWriter(@Nullable PrintWriter out) {}

    @Override
    public void setLoginTimeout(int seconds) {}

    @Override
    public int getLoginTimeout() {
        return 0;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException("Reservoir logs to slf4j", "0A000");
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLException("connections of " + server.name() + " cannot be unwrapped", "HY000");
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }
}
