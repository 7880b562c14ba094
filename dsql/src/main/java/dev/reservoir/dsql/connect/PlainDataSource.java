package dev.reservoir.dsql.connect;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The methods of a data source that are required but have no use here. */
public abstract class PlainDataSource implements DataSource {

    /** Not supported, because the cluster's settings name the user, and the password is a token. */
    @Override
    public Connection getConnection(@Nullable String username, @Nullable String password) throws SQLException {
        throw new SQLFeatureNotSupportedException(
                this
                        + ": getConnection(username, password) is not supported; make another data source for another user",
                "0A000");
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
        return null;
    }

    /** Not supported, because logs go to slf4j. */
    @Override
    public void setLogWriter(@Nullable PrintWriter out) throws SQLException {
        if (out != null) {
            throw new SQLFeatureNotSupportedException("setLogWriter: logs go to slf4j", "0A000");
        }
    }

    /** Has no effect. Settings bound the duration of a connect or a checkout. */
    @Override
    public void setLoginTimeout(int seconds) {}

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
        if (type.isInstance(this)) {
            return type.cast(this);
        }
        throw new SQLException(this + " is no " + type.getName() + " and wraps none", "HY000");
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return type.isInstance(this);
    }
}
