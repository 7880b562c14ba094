package dev.reservoir.jdbc;

import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** What the drivers of Reservoir have in common. Each accepts the URLs that begin with its prefix. */
public abstract class AbstractDriver implements Driver {
    private final String prefix;
    private final String allowed;

    /**
     * A driver for some URLs.
     *
     * @param prefix how the URLs begin
     * @param allowed the form of the URLs, for messages
     */
    protected AbstractDriver(String prefix, String allowed) {
        this.prefix = prefix;
        this.allowed = allowed;
    }

    /** Makes a driver known to the {@link DriverManager}, when its class is loaded. */
    protected static void register(Driver driver) {
        try {
            DriverManager.registerDriver(driver);
        } catch (SQLException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Describes a property that {@link Driver#connect} takes. */
    protected static DriverPropertyInfo property(String name, @Nullable String value, String description) {
        DriverPropertyInfo property = new DriverPropertyInfo(name, value);
        property.description = description;
        return property;
    }

    @Override
    public boolean acceptsURL(@Nullable String url) throws SQLException {
        if (url == null) {
            throw new SQLException("url is null; allowed: " + allowed, "08001");
        }
        return url.startsWith(prefix);
    }

    @Override
    public final int getMajorVersion() {
        return 0;
    }

    @Override
    public final int getMinorVersion() {
        return 1;
    }

    /** Returns false, because the compliance of the driver behind it is not known here. */
    @Override
    public final boolean jdbcCompliant() {
        return false;
    }

    @Override
    public final Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException("Reservoir logs to slf4j", "0A000");
    }
}
