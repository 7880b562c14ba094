package dev.reservoir.dsql.standard;

import dev.reservoir.dsql.connect.ConnectionOpener;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLTransientConnectionException;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The data source from which HikariCP opens its connections. During the warm-up it opens at full speed and retries.
 * Afterwards it opens at the pace of the keeper.
 */
final class PacedDataSource implements DataSource {
    private final ConnectionOpener opener;
    private final PoolWarmup warmup;
    private final PoolKeeper keeper;

    PacedDataSource(ConnectionOpener opener, PoolWarmup warmup, PoolKeeper keeper) {
        this.opener = opener;
        this.warmup = warmup;
        this.keeper = keeper;
    }

    @Override
    public Connection getConnection() throws SQLException {
        if (!warmup.isOver()) {
            return warmup.open(opener::open);
        }
        try {
            keeper.awaitPace();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLTransientConnectionException("interrupted while waiting to connect", "08001", e);
        }
        return opener.open();
    }

    /** HikariCP does not call this, because its settings name no user. */
    @Override
    public Connection getConnection(@Nullable String username, @Nullable String password) throws SQLException {
        throw new SQLFeatureNotSupportedException(this + " logs in with tokens of one user", "0A000");
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public void setLogWriter(@Nullable PrintWriter out) {
        // Logs go to slf4j.
    }

    @Override
    public void setLoginTimeout(int seconds) {
        // The opener has a timeout of its own.
    }

    @Override
    public int getLoginTimeout() {
        return 0;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException("logs go to slf4j", "0A000");
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLException(this + " wraps no " + type.getName(), "HY000");
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }

    @Override
    public String toString() {
        return "PacedDataSource[" + opener + "]";
    }
}
