package dev.reservoir.remote;

import dev.reservoir.remote.model.RemoteException;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.function.Supplier;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A server of the registry as a data source. Holds no connection itself, so there is nothing to close. */
final class RemoteDataSource implements DataSource {
    private final RemoteConnectionPoolRegistry registry;
    private final String server;
    private final Supplier<String> localUser;

    RemoteDataSource(RemoteConnectionPoolRegistry registry, String server, Supplier<String> localUser) {
        this.registry = registry;
        this.server = server;
        this.localUser = localUser;
    }

    /** Acquires a connection. Blocks for the server's {@code acquire_timeout} at most. */
    @Override
    public Connection getConnection() throws RemoteException {
        return registry.connection(server, localUser.get(), null);
    }

    @Override
    public Connection getConnection(@Nullable String username, @Nullable String password) throws SQLException {
        throw new SQLFeatureNotSupportedException(
                "getConnection(username, password): the user mapping of server " + server + " has user and password",
                "0A000");
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public void setLogWriter(@Nullable PrintWriter out) throws SQLException {
        if (out != null) {
            throw new SQLFeatureNotSupportedException("setLogWriter: Reservoir logs to slf4j", "0A000");
        }
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        throw new SQLFeatureNotSupportedException(
                "setLoginTimeout: set acquire_timeout of server " + server + " instead", "0A000");
    }

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
        if (type.isInstance(this)) {
            return type.cast(this);
        }
        throw new SQLException(this + " cannot be unwrapped to " + type.getName(), "HY000");
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return type.isInstance(this);
    }

    @Override
    public String toString() {
        return "RemoteDataSource[" + server + "]";
    }
}
