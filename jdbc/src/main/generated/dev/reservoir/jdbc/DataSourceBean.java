// Generated from DataSourceSettings by GeneratedSettingsTest, which says how to do so again. Not to be edited.
package dev.reservoir.jdbc;

import dev.reservoir.core.Exhaustion;
import dev.reservoir.core.RefillPacing;
import dev.reservoir.core.spi.Credentials;
import dev.reservoir.core.spi.Leases;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.jdbc.config.DataSourceSettings;
import dev.reservoir.jdbc.config.Setting;
import dev.reservoir.jdbc.log.Secrets;
import java.util.concurrent.ThreadFactory;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a {@link ReservoirDataSource} as a bean, for frameworks that configure it by setters. Durations are
 * strings here, such as {@code 11m}, {@code 250ms} or {@code PT11M}, because every framework can pass a string. A
 * getter returns the value that was set, or the default. The password has no getter. No method blocks.
 *
 * <p>Settings are checked at the start, so setters may be called in any order. After the start, targets, user and
 * password, timeouts and lifetimes can still be changed, and the change takes effect soon. A value that is not allowed
 * then throws {@link IllegalArgumentException} and changes nothing. Every other setter then throws
 * {@link IllegalStateException}.
 */
public abstract sealed class DataSourceBean permits ReservoirDataSource {
    DataSourceBean() {}

    /** Returns the value that was set, or null. */
    abstract <T> @Nullable T given(Setting<T> setting);

    /** Returns the value that was set, or the default. */
    abstract <T> T get(Setting<T> setting);

    /** Returns the value that was set as text, or null. */
    abstract @Nullable String givenText(Setting<?> setting);

    /** Returns the value that was set, or the default, as text. */
    abstract String getText(Setting<?> setting);

    abstract <T> void set(Setting<T> setting, @Nullable T value);

    abstract <T> void setText(Setting<T> setting, @Nullable String text);

    /** Sets an object, or the name of its class. */
    abstract void setAny(Setting<Object> setting, @Nullable Object value);

    /**
     * Sets the name in messages, logs, threads, JMX and {@code jdbc:reservoir:<name>}. A second one of the same name
     * gets a number behind its name, such as {@code orders-2}. Default: {@code unnamed-1}, {@code unnamed-2}, ...
     * Allowed: 1 to 100 letters, digits, dots, dashes and underscores.
     */
    public void setName(@Nullable String value) {
        set(DataSourceSettings.NAME, value);
    }

    public @Nullable String getName() {
        return given(DataSourceSettings.NAME);
    }

    /**
     * Sets the JDBC URL of the database. Allowed: a JDBC URL; not together with {@code dataSource} or
     * {@code dataSourceClassName}.
     */
    public void setUrl(@Nullable String value) {
        set(DataSourceSettings.URL, value);
    }

    /** Returns the URL without its secrets. */
    public @Nullable String getUrl() {
        String value = given(DataSourceSettings.URL);
        return value == null ? null : Secrets.maskUrl(value);
    }

    /**
     * Sets the class name of the driver, for drivers that do not register themselves. Default: the registered driver
     * that accepts the URL. Allowed: a {@code java.sql.Driver} that accepts the URL; only together with {@code url}.
     */
    public void setDriverClassName(@Nullable String value) {
        set(DataSourceSettings.DRIVER_CLASS_NAME, value);
    }

    public @Nullable String getDriverClassName() {
        return given(DataSourceSettings.DRIVER_CLASS_NAME);
    }

    /**
     * Sets the user that logs in. Default: what the URL or the {@code dataSource} says. Can be changed while the data
     * source runs.
     */
    public void setUsername(@Nullable String value) {
        set(DataSourceSettings.USERNAME, value);
    }

    public @Nullable String getUsername() {
        return given(DataSourceSettings.USERNAME);
    }

    /**
     * Sets the password. It appears in no log, message or getter. Default: what the URL or the {@code dataSource} says.
     * Can be changed while the data source runs.
     */
    public void setPassword(@Nullable String value) {
        set(DataSourceSettings.PASSWORD, value);
    }

    /**
     * Sets the data source that opens the physical connections, instead of a URL. Allowed: a
     * {@code javax.sql.DataSource}.
     */
    public void setDataSource(DataSource value) {
        set(DataSourceSettings.DATA_SOURCE, value);
    }

    /**
     * Sets the class name of the data source that opens the physical connections, instead of a URL. The properties for
     * the driver set its properties, and an unknown one is refused. Allowed: the class name of a
     * {@code javax.sql.DataSource}.
     */
    public void setDataSourceClassName(@Nullable String value) {
        set(DataSourceSettings.DATA_SOURCE_CLASS_NAME, value);
    }

    public @Nullable String getDataSourceClassName() {
        return given(DataSourceSettings.DATA_SOURCE_CLASS_NAME);
    }

    /**
     * Sets the provider of the secret for each connect, and of the user unless it leaves that to {@code username}.
     * Default: {@code username}, {@code password}. Allowed: a {@code dev.reservoir.core.spi.Credentials}, or its class
     * name.
     */
    public void setCredentials(Credentials value) {
        set(DataSourceSettings.CREDENTIALS, value);
    }

    /**
     * Does the same, for frameworks: takes a {@code Credentials}, or the name of a class that implements it and has a
     * public constructor without parameters.
     */
    public void setCredentials(@Nullable Object value) {
        setAny(DataSourceSettings.CREDENTIALS, value);
    }

    /** Returns what was set: the object, or the name of its class. */
    public @Nullable Object getCredentials() {
        return given(DataSourceSettings.CREDENTIALS);
    }

    /**
     * Sets whether each statement is a transaction of its own. With false, a transaction left open at {@code close()}
     * is rolled back. Default: the driver's: true. Allowed: true, false.
     */
    public void setAutoCommit(@Nullable Boolean value) {
        set(DataSourceSettings.AUTO_COMMIT, value);
    }

    public @Nullable Boolean getAutoCommit() {
        return given(DataSourceSettings.AUTO_COMMIT);
    }

    /**
     * Sets whether driver and server are told that nothing is written. Default: the driver's: false. Allowed: true,
     * false.
     */
    public void setReadOnly(@Nullable Boolean value) {
        set(DataSourceSettings.READ_ONLY, value);
    }

    public @Nullable Boolean getReadOnly() {
        return given(DataSourceSettings.READ_ONLY);
    }

    /**
     * Sets the isolation of transactions. Default: the server's. Allowed: {@code READ_UNCOMMITTED},
     * {@code READ_COMMITTED}, {@code REPEATABLE_READ}, {@code SERIALIZABLE}, with or without {@code TRANSACTION_}
     * before it, or the driver's number for it, 1 or more.
     */
    public void setTransactionIsolation(@Nullable String value) {
        setText(DataSourceSettings.TRANSACTION_ISOLATION, value);
    }

    public @Nullable String getTransactionIsolation() {
        return givenText(DataSourceSettings.TRANSACTION_ISOLATION);
    }

    /** Sets the catalog, where the database has several. Default: the driver's. */
    public void setCatalog(@Nullable String value) {
        set(DataSourceSettings.CATALOG, value);
    }

    public @Nullable String getCatalog() {
        return given(DataSourceSettings.CATALOG);
    }

    /** Sets the schema in which names are looked up. Default: the driver's. */
    public void setSchema(@Nullable String value) {
        set(DataSourceSettings.SCHEMA, value);
    }

    public @Nullable String getSchema() {
        return given(DataSourceSettings.SCHEMA);
    }

    /**
     * Sets a statement that is run once on each new connection, after the other preparations, and committed if
     * auto-commit is off. It does not appear in messages. Default: none. Allowed: a statement.
     */
    public void setConnectionInitSql(@Nullable String value) {
        set(DataSourceSettings.CONNECTION_INIT_SQL, value);
    }

    public @Nullable String getConnectionInitSql() {
        return given(DataSourceSettings.CONNECTION_INIT_SQL);
    }

    /**
     * Sets the most connections held at once, in use or not. Default: 10, or the largest of the three below if that is
     * more. Allowed: 1 to 100,000. Can be changed while the data source runs.
     */
    public void setMaxOpen(int value) {
        set(DataSourceSettings.MAX_OPEN, value);
    }

    public int getMaxOpen() {
        return get(DataSourceSettings.MAX_OPEN);
    }

    /**
     * Sets how many connections are ready beside those in use, as far as {@code maxOpen} goes. A value below
     * {@code lowWatermark} is raised to it, with a warning. Default: {@code maxOpen}. Allowed: 0 to {@code maxOpen}.
     * Can be changed while the data source runs.
     */
    public void setTargetReady(int value) {
        set(DataSourceSettings.TARGET_READY, value);
    }

    public int getTargetReady() {
        return get(DataSourceSettings.TARGET_READY);
    }

    /**
     * Sets the number of connections, ready or in use, below which requests for permits are urgent. The start waits for
     * this many. Default: {@code targetReady}. Allowed: 0 to {@code targetReady}. Can be changed while the data source
     * runs.
     */
    public void setLowWatermark(int value) {
        set(DataSourceSettings.LOW_WATERMARK, value);
    }

    public int getLowWatermark() {
        return get(DataSourceSettings.LOW_WATERMARK);
    }

    /**
     * Sets how many connections are opened and kept, however many are in use. {@code idleTimeout} does not apply to
     * them. Default: 0. Allowed: 0 to {@code maxOpen}. Can be changed while the data source runs.
     */
    public void setMinOpen(int value) {
        set(DataSourceSettings.MIN_OPEN, value);
    }

    public int getMinOpen() {
        return get(DataSourceSettings.MIN_OPEN);
    }

    /**
     * Sets how long a connection beyond {@code targetReady} and {@code minOpen} may be unused. Default: 0: off.
     * Allowed: 0 to 365 days. Can be changed while the data source runs.
     */
    public void setIdleTimeout(String value) {
        setText(DataSourceSettings.IDLE_TIMEOUT, value);
    }

    public String getIdleTimeout() {
        return getText(DataSourceSettings.IDLE_TIMEOUT);
    }

    /**
     * Sets how many connections beyond {@code maxOpen} may exist while successors take over from those that expire.
     * With 0 a predecessor retires first. Default: -1: a tenth of {@code maxOpen}, at least 1. Allowed: -1 to 100,000.
     */
    public void setSuccessorAllowance(int value) {
        set(DataSourceSettings.SUCCESSOR_ALLOWANCE, value);
    }

    public int getSuccessorAllowance() {
        return get(DataSourceSettings.SUCCESSOR_ALLOWANCE);
    }

    /**
     * Sets the lifetime of a connection, before jitter. A value of 0 or less is replaced by the default, with a
     * warning. Default: 11m. Allowed: 1ms to 365 days. Can be changed while the data source runs.
     */
    public void setBaseLifetime(String value) {
        setText(DataSourceSettings.BASE_LIFETIME, value);
    }

    public String getBaseLifetime() {
        return getText(DataSourceSettings.BASE_LIFETIME);
    }

    /**
     * Sets the jitter. Each lifetime is drawn at birth, evenly, from the base plus or minus half of it. A negative
     * value counts as 0, with a warning. Default: 2m. Allowed: 0 to {@code baseLifetime}. Can be changed while the data
     * source runs.
     */
    public void setLifetimeJitter(String value) {
        setText(DataSourceSettings.LIFETIME_JITTER, value);
    }

    public String getLifetimeJitter() {
        return getText(DataSourceSettings.LIFETIME_JITTER);
    }

    /**
     * Sets the last part of a lifetime, in which a connection is not handed out any more. A negative value counts as 0,
     * with a warning. Default: 45s. Allowed: 0 to less than {@code baseLifetime} minus half of {@code lifetimeJitter}.
     * Can be changed while the data source runs.
     */
    public void setGuardWindow(String value) {
        setText(DataSourceSettings.GUARD_WINDOW, value);
    }

    public String getGuardWindow() {
        return getText(DataSourceSettings.GUARD_WINDOW);
    }

    /**
     * Sets how many connections this reservoir opens in a second. Default: none; from the environment 10. Allowed: more
     * than 0.
     */
    public void setConnectionRateLimit(double value) {
        set(DataSourceSettings.CONNECTION_RATE_LIMIT, value);
    }

    public double getConnectionRateLimit() {
        return get(DataSourceSettings.CONNECTION_RATE_LIMIT);
    }

    /**
     * Sets how many connections may be opened at once after a quiet time. Default: 1; from the environment 100.
     * Allowed: 1 or more, only with a rate limit.
     */
    public void setConnectionBurstLimit(int value) {
        set(DataSourceSettings.CONNECTION_BURST_LIMIT, value);
    }

    public int getConnectionBurstLimit() {
        return get(DataSourceSettings.CONNECTION_BURST_LIMIT);
    }

    /** Sets how many connects run, or wait for their permit, at once. Default: 100. Allowed: 1 to 1,000,000. */
    public void setOpensInFlightMax(int value) {
        set(DataSourceSettings.OPENS_IN_FLIGHT_MAX, value);
    }

    public int getOpensInFlightMax() {
        return get(DataSourceSettings.OPENS_IN_FLIGHT_MAX);
    }

    /**
     * Sets how long a connect may take before it is given up. Known drivers are told not to wait longer, unless their
     * own timeouts are set. Default: 10s. Allowed: more than 0, to 365 days. Can be changed while the data source runs.
     */
    public void setConnectTimeout(String value) {
        setText(DataSourceSettings.CONNECT_TIMEOUT, value);
    }

    public String getConnectTimeout() {
        return getText(DataSourceSettings.CONNECT_TIMEOUT);
    }

    /**
     * Sets how fast connections are opened that nobody needs yet: spread over time, or as fast as permits allow.
     * Default: {@code smooth}. Allowed: {@code smooth}, {@code off}.
     */
    public void setRefillPacing(RefillPacing value) {
        set(DataSourceSettings.REFILL_PACING, value);
    }

    public RefillPacing getRefillPacing() {
        return get(DataSourceSettings.REFILL_PACING);
    }

    /**
     * Sets whether the first connect waits for a random time, so that processes that start together do not connect
     * together. Default: false; from the environment true. Allowed: true, false.
     */
    public void setStaggeredStartup(boolean value) {
        set(DataSourceSettings.STAGGERED_STARTUP, value);
    }

    public boolean isStaggeredStartup() {
        return get(DataSourceSettings.STAGGERED_STARTUP);
    }

    /** Sets the longest random wait before the first connect. Default: 5s. Allowed: 0 to 365 days. */
    public void setStaggeredStartupMaxDelay(String value) {
        setText(DataSourceSettings.STAGGERED_STARTUP_MAX_DELAY, value);
    }

    public String getStaggeredStartupMaxDelay() {
        return getText(DataSourceSettings.STAGGERED_STARTUP_MAX_DELAY);
    }

    /**
     * Sets how long the start waits for {@code lowWatermark} connections before it warns and goes on. With 0 it does
     * not wait. Default: 30s. Allowed: 0 to 365 days.
     */
    public void setInitialFillTimeout(String value) {
        setText(DataSourceSettings.INITIAL_FILL_TIMEOUT, value);
    }

    public String getInitialFillTimeout() {
        return getText(DataSourceSettings.INITIAL_FILL_TIMEOUT);
    }

    /**
     * Sets the source of permits to connect, instead of {@code connectionRateLimit}. Default: this reservoir's own rate
     * limit. Allowed: a {@code dev.reservoir.core.spi.Permits}.
     */
    public void setPermits(Permits value) {
        set(DataSourceSettings.PERMITS, value);
    }

    /**
     * Sets the source of leases, without which no connection is held open. It rations open connections, for example
     * over many processes. Default: none needed. Allowed: a {@code dev.reservoir.core.spi.Leases}.
     */
    public void setLeases(Leases value) {
        set(DataSourceSettings.LEASES, value);
    }

    /**
     * Sets the rule that tells why a connect failed, for servers whose SQLState does not tell it. Default: none: the
     * standard rules. Allowed: a {@code dev.reservoir.jdbc.ConnectErrorRule}.
     */
    public void setConnectErrorRule(ConnectErrorRule value) {
        set(DataSourceSettings.CONNECT_ERROR_RULE, value);
    }

    /**
     * Sets how long {@code getConnection} may wait. With 0 it never waits for a connection. Default: 30s. Allowed: 0 to
     * 365 days. Can be changed while the data source runs.
     */
    public void setAcquireTimeout(String value) {
        setText(DataSourceSettings.ACQUIRE_TIMEOUT, value);
    }

    public String getAcquireTimeout() {
        return getText(DataSourceSettings.ACQUIRE_TIMEOUT);
    }

    /**
     * Sets what a checkout does when nothing is ready: queue, fail at once, or queue while a temporary connection
     * beyond {@code maxOpen} is opened. Default: {@code wait}. Allowed: {@code wait}, {@code fail}, {@code overflow}.
     */
    public void setExhaustion(Exhaustion value) {
        set(DataSourceSettings.EXHAUSTION, value);
    }

    public Exhaustion getExhaustion() {
        return get(DataSourceSettings.EXHAUSTION);
    }

    /**
     * Sets whether a login that the server refuses, an unknown host or an unknown database ends the start and every
     * checkout at once, after one connect, until the first connection is open. With false it keeps trying, and
     * checkouts wait until their deadline. A database that is merely away is waited for in either case. Default: true.
     * Allowed: true, false.
     */
    public void setFailFast(boolean value) {
        set(DataSourceSettings.FAIL_FAST, value);
    }

    public boolean isFailFast() {
        return get(DataSourceSettings.FAIL_FAST);
    }

    /**
     * Sets how many temporary connections may exist at once, with {@code exhaustion} {@code overflow}. Each is closed
     * on return. Default: 10. Allowed: 0 to 100,000.
     */
    public void setOverflowMax(int value) {
        set(DataSourceSettings.OVERFLOW_MAX, value);
    }

    public int getOverflowMax() {
        return get(DataSourceSettings.OVERFLOW_MAX);
    }

    /** Sets how many checkouts may wait at once. Default: 100,000. Allowed: 0 or more. */
    public void setWaitersMax(int value) {
        set(DataSourceSettings.WAITERS_MAX, value);
    }

    public int getWaitersMax() {
        return get(DataSourceSettings.WAITERS_MAX);
    }

    /**
     * Sets how long the oldest waiter must have waited before newcomers queue behind it. A platform thread that was
     * woken and has not run yet may be overtaken for up to 100 times as long. Default: 1ms. Allowed: 0 to 365 days.
     */
    public void setOvertakingWindow(String value) {
        setText(DataSourceSettings.OVERTAKING_WINDOW, value);
    }

    public String getOvertakingWindow() {
        return getText(DataSourceSettings.OVERTAKING_WINDOW);
    }

    /**
     * Sets the time in use after which a connection is reported, by one warning with the stack of its checkout, and one
     * line at info if it is released later. Each checkout then records its stack, which costs time. Default: 0: off.
     * Allowed: 0 to 365 days.
     */
    public void setLeakDetectionThreshold(String value) {
        setText(DataSourceSettings.LEAK_DETECTION_THRESHOLD, value);
    }

    public String getLeakDetectionThreshold() {
        return getText(DataSourceSettings.LEAK_DETECTION_THRESHOLD);
    }

    /**
     * Sets the time in use after which a connection is taken from its caller and closed, with a warning that has the
     * stack of its checkout. It must be longer than any legitimate use. Default: 0: off. Allowed: 0 to 365 days.
     */
    public void setAbandonedTimeout(String value) {
        setText(DataSourceSettings.ABANDONED_TIMEOUT, value);
    }

    public String getAbandonedTimeout() {
        return getText(DataSourceSettings.ABANDONED_TIMEOUT);
    }

    /**
     * Sets whether each checkout records its stack for the leak report, which costs time. Default: false. Allowed:
     * true, false.
     */
    public void setTracksCheckouts(boolean value) {
        set(DataSourceSettings.TRACKS_CHECKOUTS, value);
    }

    public boolean isTracksCheckouts() {
        return get(DataSourceSettings.TRACKS_CHECKOUTS);
    }

    /**
     * Sets the rule that decides which errors discard a connection. Default: {@code ErrorRule.standard()}. Allowed: a
     * {@code dev.reservoir.jdbc.ErrorRule}, or its class name.
     */
    public void setErrorRule(ErrorRule value) {
        set(DataSourceSettings.ERROR_RULE, value);
    }

    /**
     * Does the same, for frameworks: takes a {@code ErrorRule}, or the name of a class that implements it and has a
     * public constructor without parameters.
     */
    public void setErrorRule(@Nullable Object value) {
        setAny(DataSourceSettings.ERROR_RULE, value);
    }

    /** Returns what was set: the object, or the name of its class. */
    public @Nullable Object getErrorRule() {
        return given(DataSourceSettings.ERROR_RULE);
    }

    /**
     * Sets the action that clears what JDBC cannot restore, such as temporary tables, when a connection that ran
     * something is closed. If it fails, the connection is discarded. Default: none: what JDBC can restore is restored.
     * Allowed: a {@code dev.reservoir.jdbc.ConnectionReset}.
     */
    public void setConnectionReset(ConnectionReset value) {
        set(DataSourceSettings.CONNECTION_RESET, value);
    }

    /**
     * Sets how long a connect through {@code jdbc:reservoir:<name>} waits when nothing is ready. A connection that is
     * ready has at least {@code validationTimeout} to answer its validation. Default: 100ms. Allowed: 0 to 365 days.
     */
    public void setEmptyWait(String value) {
        setText(DataSourceSettings.EMPTY_WAIT, value);
    }

    public String getEmptyWait() {
        return getText(DataSourceSettings.EMPTY_WAIT);
    }

    /** Sets how long {@code close} waits for connections in use. Default: 10s. Allowed: 0 to 365 days. */
    public void setDrainTimeout(String value) {
        setText(DataSourceSettings.DRAIN_TIMEOUT, value);
    }

    public String getDrainTimeout() {
        return getText(DataSourceSettings.DRAIN_TIMEOUT);
    }

    /**
     * Sets how long a ready connection may be neither used nor validated before it is validated in the background. 0
     * switches that off. One connection a second is validated in any case. Default: 2m. Allowed: 0 to 365 days. Can be
     * changed while the data source runs.
     */
    public void setKeepalive(String value) {
        setText(DataSourceSettings.KEEPALIVE, value);
    }

    public String getKeepalive() {
        return getText(DataSourceSettings.KEEPALIVE);
    }

    /**
     * Sets whether a checkout waits for a validation as well: never, always, or after {@code validationIdle}. Default:
     * {@code idle}. Allowed: {@code background}, {@code checkout}, {@code idle}.
     */
    public void setValidation(Validation value) {
        set(DataSourceSettings.VALIDATION, value);
    }

    public Validation getValidation() {
        return get(DataSourceSettings.VALIDATION);
    }

    /**
     * Sets how long ago the last use or validation of a connection may be if it is handed out without a validation,
     * with {@code validation} {@code idle}. Default: 500ms. Allowed: 0 to 365 days.
     */
    public void setValidationIdle(String value) {
        setText(DataSourceSettings.VALIDATION_IDLE, value);
    }

    public String getValidationIdle() {
        return getText(DataSourceSettings.VALIDATION_IDLE);
    }

    /**
     * Sets how long a validation may take. Default: 5s. Allowed: 1ms to 365 days. Can be changed while the data source
     * runs.
     */
    public void setValidationTimeout(String value) {
        setText(DataSourceSettings.VALIDATION_TIMEOUT, value);
    }

    public String getValidationTimeout() {
        return getText(DataSourceSettings.VALIDATION_TIMEOUT);
    }

    /**
     * Sets how calls that wait for an answer notice that their server is dead. Default: {@code full}. Allowed:
     * {@code full}, {@code keepalive}, {@code off}.
     */
    public void setDeadPeerDetection(DeadPeerDetection value) {
        set(DataSourceSettings.DEAD_PEER_DETECTION, value);
    }

    public DeadPeerDetection getDeadPeerDetection() {
        return get(DataSourceSettings.DEAD_PEER_DETECTION);
    }

    /**
     * Sets the statement that validates connections. Default: none: the driver's {@code isValid}. Allowed: a statement.
     */
    public void setValidationQuery(@Nullable String value) {
        set(DataSourceSettings.VALIDATION_QUERY, value);
    }

    public @Nullable String getValidationQuery() {
        return given(DataSourceSettings.VALIDATION_QUERY);
    }

    /** Sets whether the data source registers itself in JMX. Default: true. Allowed: true, false. */
    public void setJmx(boolean value) {
        set(DataSourceSettings.JMX, value);
    }

    public boolean isJmx() {
        return get(DataSourceSettings.JMX);
    }

    /**
     * Sets objects that are told every event of every connection, on another thread, by the names of their classes with
     * commas between them. Each class needs a public constructor without parameters. Replaces those that were named
     * before.
     */
    public void setListener(@Nullable String classNames) {
        set(DataSourceSettings.LISTENER, classNames);
    }

    /** Returns the class names that were set. */
    public @Nullable String getListener() {
        return given(DataSourceSettings.LISTENER);
    }

    /**
     * Sets gives the data source threads of its own, which this factory makes. Every thread is renamed
     * {@code reservoir-<name>...} and becomes a daemon. Default: threads that all data sources share. Allowed: a
     * {@code java.util.concurrent.ThreadFactory}, or its class name.
     */
    public void setThreadFactory(ThreadFactory value) {
        set(DataSourceSettings.THREAD_FACTORY, value);
    }

    /**
     * Does the same, for frameworks: takes a {@code ThreadFactory}, or the name of a class that implements it and has a
     * public constructor without parameters.
     */
    public void setThreadFactory(@Nullable Object value) {
        setAny(DataSourceSettings.THREAD_FACTORY, value);
    }

    /** Returns what was set: the object, or the name of its class. */
    public @Nullable Object getThreadFactory() {
        return given(DataSourceSettings.THREAD_FACTORY);
    }
}
