package dev.reservoir.bench.stub;

import dev.reservoir.jdbc.AbstractDriver;
import java.sql.Connection;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** A driver for a database in this process, which accepts the URLs with one prefix. */
public abstract class LocalDriver extends AbstractDriver {
    private final String prefix;

    protected LocalDriver(String prefix) {
        super(prefix, prefix + "<database>");
        this.prefix = prefix;
    }

    /** Opens a connection. The argument is the URL without the prefix. */
    protected abstract Connection open(String rest) throws SQLException;

    @Override
    public final @Nullable Connection connect(String url, Properties info) throws SQLException {
        return acceptsURL(url) ? open(url.substring(prefix.length())) : null;
    }

    @Override
    public final DriverPropertyInfo[] getPropertyInfo(String url, Properties info) {
        return new DriverPropertyInfo[0];
    }
}
