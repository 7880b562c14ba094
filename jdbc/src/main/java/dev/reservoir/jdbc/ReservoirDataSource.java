package dev.reservoir.jdbc;

import dev.reservoir.core.Counts;
import dev.reservoir.core.InUseReport;
import dev.reservoir.core.Pooled;
import dev.reservoir.core.Stats;
import dev.reservoir.core.Targets;
import dev.reservoir.core.metrics.MetricSource;
import dev.reservoir.core.metrics.ReservoirMetrics;
import dev.reservoir.core.spi.Credentials.Credential;
import dev.reservoir.core.spi.Listener;
import dev.reservoir.core.util.JmxBeans;
import dev.reservoir.jdbc.config.Config;
import dev.reservoir.jdbc.config.DataSourceSettings;
import dev.reservoir.jdbc.config.Setting;
import dev.reservoir.jdbc.pool.CheckoutPath;
import dev.reservoir.jdbc.pool.DataSourceJmx;
import dev.reservoir.jdbc.pool.RunningDataSource;
import dev.reservoir.jdbc.wrap.WrappedConnection;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLNonTransientConnectionException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import javax.management.ObjectName;
import javax.naming.NamingException;
import javax.naming.Reference;
import javax.naming.Referenceable;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Hands out connections that are ready. Never opens or closes a connection on the caller's path.
 *
 * <p>The {@link #builder} makes a data source and starts it. A data source made by its constructor and setters starts
 * with {@link #start} or the first {@link #getConnection}. Several data sources can run in one process, each under its
 * own name. A second one of the same name gets a number as well, such as {@code orders-2}, and logs a warning.
 * {@code jdbc:reservoir:<name>} reaches a running one through {@link ReservoirDriver}.
 *
 * <p>These methods block: {@link #getConnection} if no connection is ready, {@link #start}, {@link #awaitReady} and
 * {@link #close}. The others do not, except that {@link #flush}, {@link #counts}, {@link #stats} and {@link #checkouts}
 * hold a lock for a moment.
 *
 * <p>The data source logs under its class name, as {@code key=value}. At info: start, initial fill and end. At debug:
 * created connections, connections discarded at the end of their lifetime, and an empty reservoir. As warnings: broken
 * connections, connections found expired at checkout or release, and limits reached. As errors: failed connects.
 * Warnings and errors of one kind appear at most every 10 seconds. A checkout of a ready connection logs nothing.
 *
 * <p>The class is not final so that frameworks can make proxies of it, as Spring does for scopes and advice. It is not
 * meant for other subclasses.
 */
public non-sealed class ReservoirDataSource extends DataSourceBean implements DataSource, Referenceable, AutoCloseable {
    private static final AtomicInteger UNNAMED = new AtomicInteger();
    private static final String METRIC_PREFIX = "reservoir";

    /** The settings, with the password. */
    final Config config;

    /**
     * Guards start, close and changes of settings. A thread may hold it while it loads a driver, but never while it
     * connects or waits.
     */
    private final ReentrantLock lock = new ReentrantLock();

    /** Set at the start and kept after the end, so that a checkout reads only this one field. */
    private volatile @Nullable CheckoutPath checkoutPath;

    private volatile @Nullable RunningDataSource running;
    private volatile boolean closed;
    private @Nullable ObjectName jmxName;

    /**
     * Makes a data source to be configured by setters. It starts with {@link #start} or the first
     * {@link #getConnection}.
     */
    public ReservoirDataSource() {
        this(new Config());
    }

    private ReservoirDataSource(Config config) {
        this.config = config;
    }

    /** Returns a builder that collects settings and then starts a data source. */
    public static ReservoirDataSourceBuilder builder() {
        return new ReservoirDataSourceBuilder();
    }

    /**
     * Returns a builder with these settings. The keys are the names of the builder's methods ({@code url},
     * {@code maxOpen}, {@code baseLifetime} and so on). A key that begins with {@code driver.} is a property for the
     * driver. Durations are written as {@code 11m}, {@code 1h30m}, {@code 250ms} or {@code PT11M}.
     *
     * @throws IllegalArgumentException for an unknown key, naming the nearest known one, and for a value that cannot be
     *     parsed
     */
    public static ReservoirDataSourceBuilder fromProperties(Properties properties) {
        return builder().properties(properties);
    }

    /** Does the same as {@link #fromEnvironment(Map)}, with the variables of this process. */
    public static ReservoirDataSourceBuilder fromEnvironment() {
        return fromEnvironment(System.getenv());
    }

    /**
     * Returns a builder with the settings of environment variables: {@code RESERVOIR_MAX_OPEN} sets {@code maxOpen},
     * and so on. A library on the class path may give the variables other names, by {@link EnvironmentNames}. Unless
     * {@code RESERVOIR_ENABLED} is true, a connection is opened only when a caller asks for one.
     *
     * <p>Two defaults differ from those of {@link #builder}. Connects are limited to 10 per second in bursts of 100,
     * and the start is staggered by up to 5 seconds. If the variables of a
     * {@link dev.reservoir.core.spi.BudgetProvider} on the class path ask for it, this process shares its budget of
     * connections with others.
     *
     * @throws IllegalArgumentException for a value that cannot be parsed
     */
    public static ReservoirDataSourceBuilder fromEnvironment(Map<String, String> variables) {
        return builder().environment(variables);
    }

    static ReservoirDataSource started(Config config) {
        ReservoirDataSource dataSource = new ReservoirDataSource(config);
        dataSource.start();
        return dataSource;
    }

    // Checkout.

    /**
     * Hands out a connection. Returns at once if one is ready; otherwise blocks for {@code acquireTimeout} at most.
     * Closing the connection releases it. If this call starts the data source, it waits in the queue like any other,
     * and does not wait for the initial fill.
     *
     * @throws java.sql.SQLTransientConnectionException with state 08001 if there was no connection in time, with the
     *     reason; also if the thread was interrupted, which it then still is
     * @throws SQLNonTransientConnectionException with state 08003 if the data source is closed
     */
    @Override
    public Connection getConnection() throws SQLException {
        CheckoutPath path = checkoutPath;
        return path != null ? path.acquire() : firstUse();
    }

    /**
     * Does the same as {@link #getConnection()}, and waits for this long at most instead of {@code acquireTimeout}. A
     * timeout of zero or less does not wait for a connection.
     */
    public Connection getConnection(Duration timeout) throws SQLException {
        CheckoutPath path = checkoutPath;
        long timeoutNanos = Math.max(0, TimeUnit.NANOSECONDS.convert(timeout));
        return (path != null ? path : started().checkoutPath()).acquire(timeoutNanos);
    }

    /**
     * Hands out a connection that is ready and needs no validation before it is used. Returns null at once if there is
     * none, also if the data source has not started or is closed. Never blocks.
     */
    public @Nullable Connection tryConnection() throws SQLException {
        CheckoutPath path = checkoutPath;
        return path == null ? null : path.tryAcquire();
    }

    private Connection firstUse() throws SQLException {
        return started().checkoutPath().acquire();
    }

    private RunningDataSource started() throws SQLException {
        RunningDataSource started;
        try {
            started = begin();
        } catch (ClosedException e) {
            throw new SQLNonTransientConnectionException(e.getMessage(), "08003", e);
        } catch (IllegalArgumentException | IllegalStateException | RejectedExecutionException e) {
            throw new SQLNonTransientConnectionException(this + " cannot start: " + e.getMessage(), "08001", e);
        }
        return started;
    }

    /**
     * Does the same as {@link #getConnection()} for the configured user and password. Other users and passwords are not
     * supported.
     */
    @Override
    public Connection getConnection(@Nullable String username, @Nullable String password) throws SQLException {
        if (username != null
                && config.login().equals(new Credential(username, password))
                && config.given(DataSourceSettings.CREDENTIALS) == null) {
            return getConnection();
        }
        throw new SQLFeatureNotSupportedException(
                this + ": getConnection(username, password) is for the configured user and password only;"
                        + " make another data source for another user",
                "0A000");
    }

    // Start and end.

    /**
     * Starts the data source if it has not started. Blocks until {@code lowWatermark} connections are ready, for
     * {@code initialFillTimeout} at most.
     *
     * @throws IllegalArgumentException if a setting is not allowed
     * @throws IllegalStateException if this data source was closed; also, unless {@code failFast} is false, if the
     *     server refuses the first login, or if the host or the database is unknown: then the data source is closed,
     *     and the cause is the exception of the driver
     */
    public void start() {
        RunningDataSource started = begin();
        try {
            started.awaitFill(config.get(DataSourceSettings.INITIAL_FILL_TIMEOUT));
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private RunningDataSource begin() {
        lock.lock();
        try {
            RunningDataSource present = running;
            if (closed) {
                throw new ClosedException(this + " is closed");
            }
            if (present == null) {
                String name = config.given(DataSourceSettings.NAME);
                if (name == null) {
                    name = "unnamed-" + UNNAMED.incrementAndGet();
                    config.set(DataSourceSettings.NAME, name);
                }
                present = RunningDataSource.start(this, config, ReservoirDataSourceFactory.compared(config), name);
                running = present;
                checkoutPath = present.checkoutPath();
                jmxName = config.get(DataSourceSettings.JMX)
                        ? DataSourceJmx.register(this, present.name(), present.lines())
                        : null;
            }
            return present;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Before the start, returns the name that was set. Afterwards, returns the name that the data source runs under in
     * messages, logs, threads, JMX and {@code jdbc:reservoir:} URLs. A number is added to it if another data source had
     * the name.
     */
    @Override
    public @Nullable String getName() {
        RunningDataSource present = running;
        return present == null ? config.given(DataSourceSettings.NAME) : present.name();
    }

    /** Returns whether the data source was started and not closed. */
    public boolean isRunning() {
        return running != null && !closed;
    }

    /** Returns whether the data source was closed, or is being closed. */
    public boolean isClosed() {
        return closed;
    }

    /**
     * Stops handing out connections, waits for connections in use until {@code drainTimeout}, then closes those that
     * callers still hold. Blocks until no connection is left, for one minute after {@code drainTimeout} at most. A
     * second call meanwhile waits for the same end. If the thread is interrupted, the call returns at once, leaves the
     * thread interrupted, and the shutdown continues in the background. The shutdown frees the threads and the name. A
     * thread remains only if a driver holds it until its connect has failed.
     */
    @Override
    public void close() {
        RunningDataSource ending = end();
        if (ending != null) {
            ending.close(config.get(DataSourceSettings.DRAIN_TIMEOUT));
        }
    }

    /**
     * Does the same as {@link #close()} without blocking, and waits for connections in use until this timeout. The
     * stage completes when no connection is left. If the data source is closing already, the timeout that ends first
     * holds.
     */
    public CompletionStage<Void> closeAsync(Duration drain) {
        RunningDataSource ending = end();
        return ending == null ? CompletableFuture.completedFuture(null) : ending.closeAsync(drain);
    }

    private @Nullable RunningDataSource end() {
        lock.lock();
        try {
            if (!closed) {
                closed = true;
                JmxBeans.unregister(jmxName);
            }
            return running;
        } finally {
            lock.unlock();
        }
    }

    // Management.

    private RunningDataSource running() {
        RunningDataSource present = running;
        if (present == null) {
            throw new IllegalStateException(this + " has not been started; call start or getConnection first");
        }
        return present;
    }

    // Settings.

    @Override
    <T> @Nullable T given(Setting<T> setting) {
        return config.given(setting);
    }

    @Override
    <T> T get(Setting<T> setting) {
        return config.get(setting);
    }

    @Override
    @Nullable
    String givenText(Setting<?> setting) {
        return setting.text(config);
    }

    @Override
    String getText(Setting<?> setting) {
        return String.valueOf(setting.text(config));
    }

    @Override
    <T> void set(Setting<T> setting, @Nullable T value) {
        change(setting.isLive(), c -> c.set(setting, value));
    }

    @Override
    <T> void setText(Setting<T> setting, @Nullable String text) {
        set(setting, text == null ? null : setting.parse(setting.key(), text));
    }

    @Override
    void setAny(Setting<Object> setting, @Nullable Object value) {
        change(setting.isLive(), c -> c.setAny(setting, value));
    }

    /**
     * Adds a listener for every event. The connection object that it receives only identifies a connection; the
     * listener cannot use it.
     */
    public void addListener(Listener<Object> value) {
        change(false, c -> c.listeners.add(value));
    }

    /** Adds properties for the driver. */
    public void setDriverProperties(Properties values) {
        values.stringPropertyNames().forEach(key -> addDriverProperty(key, values.getProperty(key)));
    }

    /** Adds one property for the driver. */
    public void addDriverProperty(String key, String value) {
        change(false, c -> c.addDriverProperty(key, value));
    }

    /**
     * Changes settings. If the data source runs, the change applies now. A value that is not allowed then throws and
     * changes nothing.
     *
     * @param isLive whether the settings can change while the data source runs
     */
    private void change(boolean isLive, Consumer<Config> change) {
        lock.lock();
        try {
            if (running != null && !isLive) {
                throw new IllegalStateException(this + " runs; only these settings can change while it does: "
                        + DataSourceSettings.all().stream()
                                .filter(Setting::isLive)
                                .map(Setting::key)
                                .collect(Collectors.joining(", ")));
            }
            Config.Snapshot before = config.snapshot();
            try {
                change.accept(config);
                RunningDataSource present = running;
                if (present != null) {
                    present.change(before);
                    checkoutPath = present.checkoutPath();
                }
            } catch (Throwable e) {
                config.restore(before);
                throw e;
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Changes all targets together, that is, how many connections are held. Takes effect soon if the data source runs.
     * Does not block.
     */
    public void setTargets(Targets targets) {
        change(
                true,
                c -> c.setAll(Map.of(
                        DataSourceSettings.MAX_OPEN, targets.maxOpen(),
                        DataSourceSettings.TARGET_READY, targets.targetReady(),
                        DataSourceSettings.LOW_WATERMARK, targets.lowWatermark(),
                        DataSourceSettings.MIN_OPEN, targets.minOpen())));
    }

    /**
     * Changes user and password together, so that no connect sees one without the other. Connections opened from then
     * on log in with them. Connections that are open stay; {@link #flush} replaces these as well. Does not block.
     */
    public void changeLogin(String username, @Nullable String password) {
        Map<Setting<?>, @Nullable Object> login = new HashMap<>();
        login.put(DataSourceSettings.USERNAME, username);
        login.put(DataSourceSettings.PASSWORD, password);
        change(true, c -> c.setAll(login));
    }

    /** Returns the number of connections in each state at one instant. Cheaper than {@link #stats}. */
    public Counts counts() {
        return running().reservoir().counts();
    }

    /**
     * Returns the metrics for a monitoring system: {@code reservoir_*}, with the label {@code pool}. They have no
     * values before the data source has started and after its end. Does not block and starts nothing.
     */
    public MetricSource metrics() {
        ReservoirMetrics metrics = new ReservoirMetrics(METRIC_PREFIX);
        return () -> {
            RunningDataSource present = closed ? null : running;
            return present == null
                    ? metrics.read(Map.of(), null)
                    : metrics.read(
                            Map.of("pool", present.name()), present.reservoir().stats());
        };
    }

    /** Returns statistics taken at one instant. */
    public Stats stats() {
        return running().reservoir().stats();
    }

    /**
     * Lists the callers that have held a connection for at least this long, the longest first. The list includes stacks
     * if {@code tracksCheckouts} is set.
     */
    public List<InUseReport> checkouts(Duration atLeast) {
        return running().reservoir().checkouts(atLeast);
    }

    /** Blocks until this many connections are ready or in use. Returns false if that takes longer than the timeout. */
    public boolean awaitReady(int count, Duration timeout) throws InterruptedException {
        return running().reservoir().awaitReady(count, timeout);
    }

    /**
     * Stops handing out and opening connections. Checkouts wait until {@link #resume} or their deadline. Connections in
     * use are not affected. Does not block.
     */
    public void pause() {
        running().reservoir().pause();
    }

    /** Ends a {@link #pause}. Does not block. */
    public void resume() {
        running().reservoir().resume();
    }

    /**
     * Retires every connection that is open now: ready ones at once, those in use on release. Useful after a failover.
     * Does not block.
     */
    public void flush() {
        running().reservoir().flush();
    }

    /**
     * Retires the physical connection behind this one when the caller closes it. Does nothing if it is already closed.
     * Does not block.
     *
     * @throws SQLException if this data source did not hand the connection out
     */
    public void evict(Connection connection) throws SQLException {
        if (!connection.isClosed()) {
            running().evict(connection.unwrap(WrappedConnection.class));
        }
    }

    /**
     * Retires the connection that a listener of this data source received: now if it is ready, on release if it is in
     * use. Does nothing if the connection is closed or being closed. Does not block.
     */
    public void evict(Pooled<?> connection) {
        running().evict(connection);
    }

    /**
     * The connection of the driver behind a connection that a listener of this data source received, or null if it is
     * closed or being closed. It identifies the connection. Only the pool and its user may call methods of it.
     */
    public @Nullable Connection driverConnection(Pooled<?> connection) {
        return running().driverConnection(connection);
    }

    /**
     * Validates each connection that is open now before it is handed out again. Does not wait for that and does not
     * block.
     */
    public void validateAll() {
        running().reservoir().suspectAll();
    }

    /**
     * Returns a reference from which {@link ReservoirDataSourceFactory} makes a data source with the same settings. A
     * look-up in this process while this data source runs returns this data source, provided that the reference holds
     * its name. A data source without a name gets one when it starts, so a reference made before that holds none. The
     * reference contains the password.
     *
     * @throws NamingException if a setting is not text
     */
    @Override
    public Reference getReference() throws NamingException {
        return ReservoirDataSourceFactory.reference(config);
    }

    // The other methods of DataSource.

    @Override
    public @Nullable PrintWriter getLogWriter() {
        return null;
    }

    /** Not supported, because Reservoir logs to slf4j. */
    @Override
    public void setLogWriter(@Nullable PrintWriter out) throws SQLException {
        if (out != null) {
            throw new SQLFeatureNotSupportedException("setLogWriter: Reservoir logs to slf4j", "0A000");
        }
    }

    /** Sets {@code acquireTimeout}. 0 sets its default. */
    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        Setting<Duration> setting = DataSourceSettings.ACQUIRE_TIMEOUT;
        try {
            set(setting, seconds == 0 ? new Config().get(setting) : Duration.ofSeconds(seconds));
        } catch (IllegalArgumentException e) {
            throw new SQLException("loginTimeout is " + seconds + "; allowed: 0 to 31536000", "HY000", e);
        }
    }

    /** Returns {@code acquireTimeout}, rounded up to seconds. */
    @Override
    public int getLoginTimeout() {
        Duration timeout = get(DataSourceSettings.ACQUIRE_TIMEOUT);
        long seconds = Math.min(Integer.MAX_VALUE - 1, timeout.getSeconds());
        return (int) seconds + (timeout.getNano() > 0 ? 1 : 0);
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException("Reservoir logs to slf4j", "0A000");
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        if (type.isInstance(this)) {
            return type.cast(this);
        }
        DataSource wrapped = given(DataSourceSettings.DATA_SOURCE);
        if (type.isInstance(wrapped)) {
            return type.cast(wrapped);
        }
        throw new SQLException(this + " cannot be unwrapped to " + type.getName(), "HY000");
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return type.isInstance(this) || type.isInstance(given(DataSourceSettings.DATA_SOURCE));
    }

    /** Returns the name of the data source, and no secret. */
    @Override
    public String toString() {
        String name = getName();
        return "ReservoirDataSource[" + (name == null ? "unnamed" : name) + "]";
    }

    private static final class ClosedException extends IllegalStateException {
        private static final long serialVersionUID = 1L;

        ClosedException(String message) {
            super(message);
        }
    }
}
