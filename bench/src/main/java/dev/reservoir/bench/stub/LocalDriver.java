package dev.reservoir.bench.stub;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Properties;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** A driver for a database in this process, which accepts the URLs with one prefix. */
public abstract class LocalDriver implements Driver {

    private final String prefix;

    protected LocalDriver(String prefix) {
        this.prefix = prefix;
    }

    protected static void register(Driver driver) {
        try {
            DriverManager.registerDriver(driver);
        } catch (SQLException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Opens a connection. The argument is the URL without the prefix. */
    protected abstract Connection open(String rest) throws SQLException;

    @Override
    public final @Nullable Connection connect(String url, Properties info) throws SQLException {
        return acceptsURL(url) ? open(url.substring(prefix.length())) : null;
    }

    @Override
    public final boolean acceptsURL(String url) {
        return url.startsWith(prefix);
    }

    @Override
    public final DriverPropertyInfo[] getPropertyInfo(String url, Properties info) {
        return new DriverPropertyInfo[0];
    }

    @Override
    public final int getMajorVersion() {
        return 1;
    }

    @Override
    public final int getMinorVersion() {
        return 0;
    }

    @Override
    public final boolean jdbcCompliant() {
        return false;
    }

    @Override
    public final Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException("this driver does not log");
    }
}
