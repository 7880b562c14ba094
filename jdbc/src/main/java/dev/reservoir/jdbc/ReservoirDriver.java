package dev.reservoir.jdbc;

import dev.reservoir.core.Counts;
import dev.reservoir.core.util.DurationText;
import dev.reservoir.jdbc.config.DataSourceSettings;
import dev.reservoir.jdbc.config.Setting;
import dev.reservoir.jdbc.log.Secrets;
import dev.reservoir.jdbc.pool.DataSourceRegistry;
import dev.reservoir.jdbc.pool.RunningDataSource;
import java.sql.Connection;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Hands out connections of a running data source for {@code jdbc:reservoir:<name>}. Another pool on top can thus open
 * connections almost instantly. Never opens a connection itself. If none is ready, {@link #connect} blocks for
 * {@code emptyWait} and then throws {@link java.sql.SQLTransientConnectionException}. {@code emptyWait} is 100 ms,
 * unless the data source or a property of that name says otherwise.
 *
 * <p>Closing such a connection releases it. Its {@code isValid} returns false from the start of its guard window, so
 * that the pool on top replaces it in time. The driver ignores user and password, because the data source has its own.
 */
public final class ReservoirDriver extends AbstractDriver {
    private static final org.slf4j.Logger log = LoggerFactory.getLogger(ReservoirDataSource.class);
    private static final String PREFIX = "jdbc:reservoir:";
    private static final String EMPTY_WAIT = "emptyWait";

    /** Begin the URLs of other drivers of Reservoir. No name of a data source has a colon. */
    private static final List<String> OF_OTHERS = List.of(PREFIX + "remote:", PREFIX + "sys:");

    static {
        register(new ReservoirDriver());
    }

    /** For the service loader. */
    public ReservoirDriver() {
        super(PREFIX, PREFIX + "<name>");
    }

    @Override
    public @Nullable Connection connect(String url, @Nullable Properties info) throws SQLException {
        if (!acceptsURL(url)) {
            return null;
        }
        String name = url.substring(PREFIX.length());
        RunningDataSource running = DataSourceRegistry.find(name);
        if (running == null) {
            throw new SQLNonTransientConnectionException(
                    "url is " + Secrets.maskUrl(url) + "; allowed: the name of a running reservoir; running now: "
                            + (DataSourceRegistry.names().isEmpty()
                                    ? "none"
                                    : String.join(", ", DataSourceRegistry.names()))
                            + ". A data source made by setters runs from its first connection on",
                    "08001");
        }
        Connection connection = running.checkoutPath().acquireForPool(emptyWaitNanos(running, info));
        if (log.isDebugEnabled()) {
            try {
                say(running, name);
            } catch (RuntimeException | Error e) {
                connection.close();
                throw e;
            }
        }
        return connection;
    }

    private static void say(RunningDataSource running, String name) {
        Counts counts = running.reservoir().counts();
        log.debug(
                "Reservoir driver Open() - connection checked out  open_count={} reservoir_ready={} reservoir={}",
                counts.inUse(),
                counts.ready(),
                name);
    }

    private static long emptyWaitNanos(RunningDataSource running, @Nullable Properties info) throws SQLException {
        String text = info == null ? null : info.getProperty(EMPTY_WAIT);
        if (text == null) {
            return running.emptyWaitNanos();
        }
        try {
            Setting<Duration> setting = DataSourceSettings.EMPTY_WAIT;
            return setting.checked(EMPTY_WAIT, setting.parse(EMPTY_WAIT, text)).toNanos();
        } catch (IllegalArgumentException e) {
            throw new SQLNonTransientConnectionException(e.getMessage(), "08001", e);
        }
    }

    @Override
    public boolean acceptsURL(@Nullable String url) throws SQLException {
        return super.acceptsURL(url) && OF_OTHERS.stream().noneMatch(String.valueOf(url)::startsWith);
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String url, @Nullable Properties info) {
        String value = info == null ? null : info.getProperty(EMPTY_WAIT);
        String description = "how long to wait for a connection when none is ready: " + DurationText.ALLOWED;
        return new DriverPropertyInfo[] {property(EMPTY_WAIT, value, description)};
    }
}
