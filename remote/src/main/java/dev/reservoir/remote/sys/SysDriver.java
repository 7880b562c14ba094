package dev.reservoir.remote.sys;

import dev.reservoir.jdbc.AbstractDriver;
import dev.reservoir.remote.RemoteConnectionPoolRegistry;
import java.sql.Connection;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * Gives connections to the views of a registry for {@code jdbc:reservoir:sys:<registry>}. The property {@code user} is
 * the local user that {@code CURRENT_USER} means. There is no password: the caller runs in the same process.
 */
public final class SysDriver extends AbstractDriver {
    /** Begins the URLs of this driver. */
    public static final String PREFIX = "jdbc:reservoir:sys:";

    /** The local user if no property names one. */
    static final String DEFAULT_USER = "reservoir";

    static {
        register(new SysDriver());
    }

    /** For the service loader. */
    public SysDriver() {
        super(PREFIX, PREFIX + "<registry>");
    }

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
    public DriverPropertyInfo[] getPropertyInfo(String url, @Nullable Properties info) {
        String user = info == null ? null : info.getProperty("user");
        return new DriverPropertyInfo[] {property("user", user, "the local user that CURRENT_USER means")};
    }
}
