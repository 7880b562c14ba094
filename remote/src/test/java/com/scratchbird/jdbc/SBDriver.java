package com.scratchbird.jdbc;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.util.Properties;
import java.util.logging.Logger;

/**
 * Stands in for ScratchBird's driver, which is in no repository. It has the name and the URL of the real one, and a
 * PostgreSQL server behind it, so that the adapter works with real transactions, errors and metadata.
 */
public final class SBDriver implements Driver {
    private static final String PREFIX = "jdbc:scratchbird:";

    /** The properties of the last connect. */
    public static volatile Properties last = new Properties();

    private final Driver postgres = new org.postgresql.Driver();

    @Override
    public Connection connect(String url, Properties info) throws SQLException {
        last = info;
        return acceptsURL(url) ? postgres.connect(url.replace(PREFIX, "jdbc:postgresql:"), info) : null;
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
    public Logger getParentLogger() {
        return Logger.getGlobal();
    }
}
