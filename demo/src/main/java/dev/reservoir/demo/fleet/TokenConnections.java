package dev.reservoir.demo.fleet;

import dev.reservoir.core.spi.Credentials.Credential;
import dev.reservoir.dsql.DsqlTokens;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Opens a new connection of the PostgreSQL driver with a token for each call, without any limit. AWS's connector does
 * the same for a pool. Blocks for the token and the connect.
 */
@SuppressWarnings("serial") // the driver's class is serializable, and this one never is
final class TokenConnections extends PGSimpleDataSource {
    private static final int TIMEOUT_SECONDS = 10;

    private final DsqlTokens tokens;
    private final AtomicInteger connecting = new AtomicInteger();
    private final AtomicLong opened = new AtomicLong();

    TokenConnections(EmulatedDatabase database, DsqlTokens tokens, String life) {
        this.tokens = tokens;
        setUrl(database.emulator().jdbcUrl());
        setSocketFactory(ServiceSockets.class.getName());
        setSocketFactoryArg(life);
        setConnectTimeout(TIMEOUT_SECONDS);
        super.setLoginTimeout(TIMEOUT_SECONDS);
    }

    /** Keeps the timeout, which the pool would replace by its own. */
    @Override
    public void setLoginTimeout(int seconds) {}

    int connecting() {
        return connecting.get();
    }

    long opened() {
        return opened.get();
    }

    @Override
    public Connection getConnection() throws SQLException {
        connecting.incrementAndGet();
        try {
            Connection connection =
                    getConnection(tokens.user(), String.valueOf(credential().secret()));
            opened.incrementAndGet();
            return connection;
        } finally {
            connecting.decrementAndGet();
        }
    }

    private Credential credential() throws SQLException {
        try {
            return tokens.current().toCompletableFuture().get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new SQLTransientConnectionException("no token", "08001", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLTransientConnectionException("interrupted while waiting for a token", "08001", e);
        }
    }
}
