package dev.reservoir.bench.stub;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Opens {@link StubConnection}s for URLs that begin with {@value #PREFIX}. Never waits and never fails. */
public final class StubDriver implements Driver {

    public static final String PREFIX = "jdbc:stub:";

    /** The URL for a pool. */
    public static final String URL = PREFIX + "bench";

    private static final AtomicInteger OPENED = new AtomicInteger();

    static {
        try {
            DriverManager.registerDriver(new StubDriver());
        } catch (SQLException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** The number of connections opened in this process. */
    public static int opened() {
        return OPENED.get();
    }

    @Override
    public @Nullable Connection connect(String url, Properties info) {
        if (!acceptsURL(url)) {
            return null;
        }
        OPENED.incrementAndGet();
        return new StubConnection();
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
        throw new SQLFeatureNotSupportedException("the stub driver does not log");
    }
}
