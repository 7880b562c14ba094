package dev.reservoir.remote.sys;

import dev.reservoir.remote.RemoteConnectionPoolRegistry;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLNonTransientConnectionException;
import java.util.Properties;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Gives connections to the views of a registry for {@code jdbc:reservoir:sys:<registry>}. The property {@code user} is
 * the local user that {@code CURRENT_USER} means. There is no password: the caller runs in the same process.
 */
public final class SysDriver implements Driver {
    /** Begins the URLs of this driver. */
    public static final String PREFIX = "jdbc:reservoir:sys:";

    /** The local user if no property names one. */
    static final String DEFAULT_USER = "reservoir";

    static {
        try {
            DriverManager.registerDriver(new SysDriver());
        } catch (SQLException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** For the service loader. */
    public SysDriver() {}

    @Override
    public @Nullable Connection connect(String url, @Nullable Properties info) throws SQLException {
        if (!acceptsURL(url)) {
            return null;
        }
        String name = url.substring(PREFIX.length());
        SysDatabase database = SysDatabase.named(name);
        RemoteConnectionPoolRegistry registry = database == null ? RemoteConnectionPoolRegistry.named(name) : null;
        if (registry != null) {
            database = SysDatabase.of(registry);
        }
        if (database == null) {
            throw new SQLNonTransientConnectionException(
                    "url is " + url + "; allowed: " + PREFIX
                            + " and the name of a registry whose views are open; open now: "
                            + (SysDatabase.names().isEmpty() ? "none" : String.join(", ", SysDatabase.names())),
                    "08001");
        }
        String user = info == null ? null : info.getProperty("user");
        return database.connect(user == null || user.isBlank() ? DEFAULT_USER : user);
    }

    @Override
    public boolean acceptsURL(@Nullable String url) throws SQLException {
        if (url == null) {
            throw new SQLException("url is null; allowed: " + PREFIX + "<registry>", "08001");
        }
        return url.startsWith(PREFIX);
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String url, @Nullable Properties info) {
        DriverPropertyInfo user = new DriverPropertyInfo("user", info == null ? null : info.getProperty("user"));
        user.description = "the local user that CURRENT_USER means";
        return new DriverPropertyInfo[] {user};
    }

    @Override
    public int getMajorVersion() {
        return 0;
    }

    @Override
    public int getMinorVersion() {
        return 1;
    }

    @Override
    public boolean jdbcCompliant() {
        return false;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException("Reservoir logs to slf4j");
    }
}
