package dev.reservoir.bench.rationed;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Properties;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Connects to a running {@link RationedDatabase} by {@code jdbc:rationed:<database>/<client>}. Blocks for its connect
 * time.
 */
public final class RationedDriver implements Driver {

    public static final String PREFIX = "jdbc:rationed:";

    static {
        try {
            DriverManager.registerDriver(new RationedDriver());
        } catch (SQLException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @Override
    public @Nullable Connection connect(String url, Properties info) throws SQLException {
        if (!acceptsURL(url)) {
            return null;
        }
        int slash = url.indexOf('/', PREFIX.length());
        if (slash < 0) {
            throw new SQLException("url = " + url + ", allowed: " + PREFIX + "<database>/<client>", "08001");
        }
        RationedDatabase database = RationedDatabase.named(url.substring(PREFIX.length(), slash));
        if (database == null) {
            throw new SQLException("no rationed database is running for " + url, "08001");
        }
        return database.connect(url.substring(slash + 1));
    }

    @Override
    public boolean acceptsURL(String url) {
        return url.startsWith(PREFIX);
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String url, Properties info) {
        return new DriverPropertyInfo[0];
    }

    @Override
    public int getMajorVersion() {
        return 1;
    }

    @Override
    public int getMinorVersion() {
        return 0;
    }

    @Override
    public boolean jdbcCompliant() {
        return false;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException("the rationed driver does not log");
    }
}
