package dev.reservoir.jdbc;

import dev.reservoir.core.InUseReport;
import dev.reservoir.core.Stats;
import dev.reservoir.core.Targets;
import dev.reservoir.core.spi.Credentials.Credential;
import dev.reservoir.core.util.JmxBeans;
import dev.reservoir.jdbc.config.Config;
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
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.logging.Logger;
import javax.management.ObjectName;
import javax.naming.NamingException;
import javax.naming.Reference;
import javax.naming.Referenceable;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Lends connections that stand ready. Never opens or closes one on its caller's path.
 *
 * <p>Made by {@link #builder}, which starts it, or by its constructor and setters, after which it starts with {@link #start} or
 * the first {@link #getConnection}. Several can run in one process, each under its own name; a second one of the same name gets
 * a number behind it, {@code orders-2}, with a warning. {@code jdbc:reservoir:<name>} reaches a running one through {@link
 * ReservoirDriver}.
 *
 * <p>Block: {@link #getConnection} if no connection is ready, {@link #start}, {@link #awaitReady}, {@link #close}. All others
 * do not, save that {@link #stats} and {@link #checkouts} take a lock for a moment.
 *
 * <p>Logs under its class name, as {@code key=value}: start, initial fill and end at info; connections created, and discarded
 * because their time had come, and an empty reservoir at debug; broken connections, those whose time had come when they were
 * wanted or given back, and limits reached as warnings; failed connects as errors. Warnings and errors of one kind come at most
 * every 10 seconds. A checkout of a ready connection logs nothing.
 *
 * <p>The class is open for proxies that frameworks make of it, such as Spring's for scopes and advice. It is not made for other
 * subclasses.
 */
public non-sealed class ReservoirDataSource extends DataSourceBean implements DataSource, Referenceable, AutoCloseable {
    private static final AtomicInteger UNNAMED = new AtomicInteger();

    /** Guards the start, the end and changes of the targets. Held while a driver is loaded, never while one connects or waits. */
    private final ReentrantLock lock = new ReentrantLock();

    /** Set at the start and kept, so that the hot path reads this one field and no other. */
    private volatile @Nullable CheckoutPath checkouts;

    private volatile @Nullable RunningDataSource running;
    private volatile boolean closed;
    private @Nullable ObjectName jmxName;

    /** For setters. Starts with {@link #start} or the first {@link #getConnection}. */
    public ReservoirDataSource() {
        this(new Config());
    }

    private ReservoirDataSource(Config config) {
        super(config);
    }

    /** Collects settings, then starts. */
    public static ReservoirDataSourceBuilder builder() {
        return new ReservoirDataSourceBuilder();
    }

    /**
     * A builder with these settings. The keys are the names of the builder's methods ({@code url}, {@code maxOpen}, {@code
     * baseLifetime} and so on); {@code driver.} begins the key of a property for the driver. Durations are written as {@code
     * 11m}, {@code 1h30m}, {@code 250ms} or {@code PT11M}.
     *
     * @throws IllegalArgumentException for an unknown key, naming the nearest known one, and for a value that cannot be read
     */
    public static ReservoirDataSourceBuilder fromProperties(Properties properties) {
        return builder().properties(properties);
    }

    /** As {@link #fromEnvironment(Map)}, with the variables of this process. */
    public static ReservoirDataSourceBuilder fromEnvironment() {
        return fromEnvironment(System.getenv());
    }

    /**
     * A builder with the settings of {@code DSQL_RESERVOIR_*}, {@code DSQL_CONNECTION_*} and {@code DSQL_STAGGERED_*}. Unless
     * {@code DSQL_RESERVOIR_ENABLED} is true, no connection is opened before one is asked for. Other
     * than with {@link #builder}, connects are limited to 10 a second in bursts of 100 and the start is staggered by up to 5
     * seconds, unless the variables say otherwise. If {@code DSQL_DISTRIBUTED_RATE_LIMITER_ENABLED} or
     * {@code DSQL_DISTRIBUTED_CONN_LEASE_ENABLED} is true, connections are rationed over the whole cluster, which needs
     * {@code reservoir-dynamodb} on the class path.
     *
     * @throws IllegalArgumentException for a value that cannot be read
     */
    public static ReservoirDataSourceBuilder fromEnvironment(Map<String, String> variables) {
        return builder().environment(variables);
    }

    static ReservoirDataSource started(Config config) {
        ReservoirDataSource dataSource = new ReservoirDataSource(config);
        dataSource.start();
        return dataSource;
    }

    // Lending.

    /**
     * Lends a connection. At once if one is ready; otherwise blocks for {@code acquireTimeout} at most. Closing it gives it back.
     * The one that starts a bean waits in turn like any other, not for the initial fill.
     *
     * @throws java.sql.SQLTransientConnectionException with state 08001 if none could be had, saying why; also if the thread
     *     was interrupted, which it then still is
     * @throws SQLNonTransientConnectionException with state 08003 if the data source is closed
     */
    @Override
    public Connection getConnection() throws SQLException {
        CheckoutPath handsOut = checkouts;
        return handsOut != null ? handsOut.acquire() : firstUse();
    }

    private Connection firstUse() throws SQLException {
        RunningDataSource started;
        try {
            started = begin();
        } catch (ClosedException e) {
            throw new SQLNonTransientConnectionException(e.getMessage(), "08003", e);
        } catch (IllegalArgumentException | IllegalStateException | RejectedExecutionException e) {
            throw new SQLNonTransientConnectionException(this + " cannot start: " + e.getMessage(), "08001", e);
        }
        return started.checkouts().acquire();
    }

    /** As {@link #getConnection()}, for the configured user and password; others are not supported. */
    @Override
    public Connection getConnection(@Nullable String username, @Nullable String password) throws SQLException {
        if (username != null
                && config.login.equals(new Credential(username, password))
                && !config.credentials.isSet()) {
            return getConnection();
        }
        throw new SQLFeatureNotSupportedException(
                this + ": getConnection(username, password) is for the configured user and password only;"
                        + " make another data source for another user",
                "0A000");
    }

    // Starting and ending.

    /**
     * Starts it if that has not happened. Blocks until {@code lowWatermark} connections stand ready, for {@code
     * initialFillTimeout} at most.
     *
     * @throws IllegalArgumentException if a setting is not allowed
     * @throws IllegalStateException if this one was closed; also, unless {@code failFast} is false, if the server refuses the
     *     first login, or the host or the database is unknown: then it is closed, and the cause is what the driver threw
     */
    public void start() {
        RunningDataSource started = begin();
        boolean isRight = false;
        try {
            started.awaitFill(config.initialFillTimeout);
            isRight = true;
        } finally {
            if (!isRight) {
                close();
            }
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
                String name = config.name;
                if (name == null) {
                    name = "unnamed-" + UNNAMED.incrementAndGet();
                    config.name = name;
                }
                present = RunningDataSource.start(this, name);
                running = present;
                checkouts = present.checkouts();
                jmxName = config.jmx ? DataSourceJmx.register(this, present.name(), present.lines()) : null;
            }
            return present;
        } finally {
            lock.unlock();
        }
    }

    /**
     * The name that was set, until the start. From then on the name that it runs under, in messages, logs, threads, JMX and {@code
     * jdbc:reservoir:} URLs: the one that was set, or that and a number if another data source had it.
     */
    @Override
    public @Nullable String getName() {
        RunningDataSource present = running;
        return present == null ? config.name : present.name();
    }

    /** Whether it was started and not closed. */
    public boolean isRunning() {
        return running != null && !closed;
    }

    /** Whether it was closed, or is being closed. */
    public boolean isClosed() {
        return closed;
    }

    /**
     * Lends nothing more, waits for connections on loan until {@code drainTimeout}, then closes them under their borrowers.
     * Blocks until no connection is left, for a minute after {@code drainTimeout} at most; so does a second call meanwhile. If
     * interrupted, it returns at once, leaves the thread interrupted and lets the end come without it. Threads and name are free
     * with the end, save threads that a driver does not let go before its connect has failed.
     */
    @Override
    public void close() {
        RunningDataSource ending;
        lock.lock();
        try {
            if (!closed) {
                closed = true;
                JmxBeans.unregister(jmxName);
            }
            ending = running;
        } finally {
            lock.unlock();
        }
        if (ending != null) {
            ending.close(config.drainTimeout);
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

    @Override
    public Config config() {
        if (running != null) {
            throw new IllegalStateException(
                    this + " runs; only targets (maxOpen, targetReady, lowWatermark, minOpen),"
                            + " username, password, timeouts (acquireTimeout, connectTimeout, validationTimeout, idleTimeout,"
                            + " keepalive) and lifetimes (baseLifetime, lifetimeJitter, guardWindow) can be changed while it does");
        }
        return config;
    }

    @Override
    void change(Consumer<Config> change) {
        lock.lock();
        try {
            Config.Live before = config.live();
            boolean good = false;
            try {
                change.accept(config);
                RunningDataSource present = running;
                if (present != null) {
                    present.change(before);
                    checkouts = present.checkouts();
                }
                good = true;
            } finally {
                if (!good) {
                    config.restore(before);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Changes how many connections are held, all numbers together. Takes effect soon if it runs. */
    public void setTargets(Targets targets) {
        change(c -> c.setSizes(
                new Config.Sizes(targets.maxOpen(), targets.targetReady(), targets.lowWatermark(), targets.minOpen())));
    }

    /**
     * Changes user and password together, so that no connect sees one without the other. Connections that are opened from then on
     * log in with them; those that are open stay. Call {@link #flush} to have these replaced as well.
     */
    public void changeLogin(String username, @Nullable String password) {
        change(c -> c.login = new Credential(username, password));
    }

    /** The numbers at one instant. */
    public Stats stats() {
        return running().reservoir().stats();
    }

    /** Who has held a connection for at least so long, the longest first. With stacks if {@code tracksCheckouts} is set. */
    public List<InUseReport> checkouts(Duration atLeast) {
        return running().reservoir().checkouts(atLeast);
    }

    /** Blocks until so many connections are ready or lent; false if that takes longer than the time-out. */
    public boolean awaitReady(int count, Duration timeout) throws InterruptedException {
        return running().reservoir().awaitReady(count, timeout);
    }

    /** Stops lending and opening; checkouts wait until {@link #resume} or their deadline. Loans go on. */
    public void pause() {
        running().reservoir().pause();
    }

    /** Goes on after {@link #pause}. */
    public void resume() {
        running().reservoir().resume();
    }

    /** Retires every connection that is open now: ready ones at once, lent ones on return. For fail-over. */
    public void flush() {
        running().reservoir().flush();
    }

    /**
     * Retires the connection behind this one when it is closed. Does nothing if that has happened.
     *
     * @throws SQLException if it is not on loan from here
     */
    public void evict(Connection connection) throws SQLException {
        if (!connection.isClosed()) {
            running().evict(connection.unwrap(WrappedConnection.class));
        }
    }

    /**
     * A reference from which {@link ReservoirDataSourceFactory} makes a data source with the same settings. Looked up in this
     * process while this one runs, it gives this one, provided that it holds its name: one without a name gets it with its start.
     * Holds the password.
     *
     * @throws NamingException if a setting is not text
     */
    @Override
    public Reference getReference() throws NamingException {
        return ReservoirDataSourceFactory.reference(config);
    }

    // The rest of DataSource.

    @Override
    public @Nullable PrintWriter getLogWriter() {
        return null;
    }

    /** Not supported: logs go to slf4j. */
    @Override
    public void setLogWriter(@Nullable PrintWriter out) throws SQLException {
        if (out != null) {
            throw new SQLFeatureNotSupportedException("setLogWriter: Reservoir logs to slf4j", "0A000");
        }
    }

    /** Sets {@code acquireTimeout}; 0 sets its default. */
    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        Duration timeout = seconds == 0 ? new Config().acquireTimeout : Duration.ofSeconds(seconds);
        try {
            change(c -> c.acquireTimeout = timeout);
        } catch (IllegalArgumentException e) {
            throw new SQLException("loginTimeout is " + seconds + "; allowed: 0 to 31536000", "HY000", e);
        }
    }

    /** {@code acquireTimeout}, rounded up. */
    @Override
    public int getLoginTimeout() {
        Duration timeout = config.acquireTimeout;
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
        if (type.isInstance(config.dataSource)) {
            return type.cast(config.dataSource);
        }
        throw new SQLException(this + " is no " + type.getName() + " and wraps none", "HY000");
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return type.isInstance(this) || type.isInstance(config.dataSource);
    }

    /** Its name, and no secret. */
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
