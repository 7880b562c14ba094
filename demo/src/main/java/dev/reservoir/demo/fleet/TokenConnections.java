package dev.reservoir.demo.fleet;

import dev.reservoir.core.spi.Credentials.Credential;
import dev.reservoir.dsql.DsqlTokens;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLTransientConnectionException;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Opens a new connection of the PostgreSQL driver with a token for each call, without any limit. AWS's connector does
 * the same for a pool. Blocks for the token and the connect.
 */
final class TokenConnections implements DataSource {
    private static final String TIMEOUT_SECONDS = "10";

    private final EmulatedDatabase database;
    private final DsqlTokens tokens;
    private final Properties sockets;
    private final AtomicInteger connecting = new AtomicInteger();
    private final AtomicLong opened = new AtomicLong();

    TokenConnections(EmulatedDatabase database, DsqlTokens tokens, String life) {
        this.database = database;
        this.tokens = tokens;
        sockets = EmulatedDatabase.socketsOf(life);
    }

    /** Connects that are running. */
    int connecting() {
        return connecting.get();
    }

    /** Connections opened so far. */
    long opened() {
        return opened.get();
    }

    @Override
    public Connection getConnection() throws SQLException {
        connecting.incrementAndGet();
        try {
            Properties login = new Properties();
            login.putAll(sockets);
            Credential credential = credential();
            login.setProperty("user", tokens.user());
            login.setProperty("password", String.valueOf(credential.secret()));
            login.setProperty("connectTimeout", TIMEOUT_SECONDS);
            login.setProperty("loginTimeout", TIMEOUT_SECONDS);
            Connection connection = DriverManager.getConnection(database.url(), login);
            opened.incrementAndGet();
            return connection;
        } finally {
            connecting.decrementAndGet();
        }
    }

    private Credential credential() throws SQLException {
        try {
            return tokens.current().toCompletableFuture().get(10, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new SQLTransientConnectionException("no token", "08001", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLTransientConnectionException("interrupted while waiting for a token", "08001", e);
        }
    }

    @Override
    public Connection getConnection(String username, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException("the user is fixed, and the password is a token");
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public void setLogWriter(PrintWriter out) {
        // This data source writes no log.
    }

    @Override
    public void setLoginTimeout(int seconds) {
        // The timeout is fixed.
    }

    @Override
    public int getLoginTimeout() {
        return Integer.parseInt(TIMEOUT_SECONDS);
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException("this data source logs nothing");
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLException("this data source wraps no " + type.getName());
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }
}
