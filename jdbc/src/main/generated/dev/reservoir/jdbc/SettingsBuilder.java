// Generated from DataSourceSettings by GeneratedSettingsTest, which says how to do so again. Not to be edited.
package dev.reservoir.jdbc;

import dev.reservoir.core.Exhaustion;
import dev.reservoir.core.RefillPacing;
import dev.reservoir.core.spi.Credentials;
import dev.reservoir.core.spi.Leases;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.jdbc.config.DataSourceSettings;
import dev.reservoir.jdbc.config.Setting;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import javax.sql.DataSource;

/**
 * The methods of a {@link ReservoirDataSourceBuilder} that set one setting each. No method blocks.
 *
 * @param <B> the builder
 */
public abstract sealed class SettingsBuilder<B extends SettingsBuilder<B>> permits ReservoirDataSourceBuilder {
    SettingsBuilder() {}

    abstract <T> B set(Setting<T> setting, T value);

    abstract B setText(Setting<?> setting, String text);

    /**
     * Sets the name in messages, logs, threads, JMX and {@code jdbc:reservoir:<name>}. A second one of the same name
     * gets a number behind its name, such as {@code orders-2}. Default: {@code unnamed-1}, {@code unnamed-2}, ...
     * Allowed: 1 to 100 letters, digits, dots, dashes and underscores.
     */
    public B name(String value) {
        return set(DataSourceSettings.NAME, value);
    }

    /**
     * Sets the JDBC URL of the database. Allowed: a JDBC URL; not together with {@code dataSource} or
     * {@code dataSourceClassName}.
     */
    public B url(String value) {
        return set(DataSourceSettings.URL, value);
    }

    /**
     * Sets the class name of the driver, for drivers that do not register themselves. Default: the registered driver
     * that accepts the URL. Allowed: a {@code java.sql.Driver} that accepts the URL; only together with {@code url}.
     */
    public B driverClassName(String value) {
        return set(DataSourceSettings.DRIVER_CLASS_NAME, value);
    }

    /**
     * Sets the user that logs in. Default: what the URL or the {@code dataSource} says. Can be changed while the data
     * source runs.
     */
    public B username(String value) {
        return set(DataSourceSettings.USERNAME, value);
    }

    /**
     * Sets the password. It appears in no log, message or getter. Default: what the URL or the {@code dataSource} says.
     * Can be changed while the data source runs.
     */
    public B password(String value) {
        return set(DataSourceSettings.PASSWORD, value);
    }

    /**
     * Sets the data source that opens the physical connections, instead of a URL. Allowed: a
     * {@code javax.sql.DataSource}.
     */
    public B dataSource(DataSource value) {
        return set(DataSourceSettings.DATA_SOURCE, value);
    }

    /**
     * Sets the class name of the data source that opens the physical connections, instead of a URL. The properties for
     * the driver set its properties, and an unknown one is refused. Allowed: the class name of a
     * {@code javax.sql.DataSource}.
     */
    public B dataSourceClassName(String value) {
        return set(DataSourceSettings.DATA_SOURCE_CLASS_NAME, value);
    }

    /**
     * Sets the provider of the secret for each connect, and of the user unless it leaves that to {@code username}.
     * Default: {@code username}, {@code password}. Allowed: a {@code dev.reservoir.core.spi.Credentials}, or its class
     * name.
     */
    public B credentials(Credentials value) {
        return set(DataSourceSettings.CREDENTIALS, value);
    }

    /**
     * Does the same as {@link #credentials(Credentials)}, with the name of a class that has a public constructor
     * without parameters.
     */
    public B credentials(String className) {
        return setText(DataSourceSettings.CREDENTIALS, className);
    }

    /**
     * Sets whether each statement is a transaction of its own. With false, a transaction left open at {@code close()}
     * is rolled back. Default: the driver's: true. Allowed: true, false.
     */
    public B autoCommit(boolean value) {
        return set(DataSourceSettings.AUTO_COMMIT, value);
    }

    /**
     * Sets whether driver and server are told that nothing is written. Default: the driver's: false. Allowed: true,
     * false.
     */
    public B readOnly(boolean value) {
        return set(DataSourceSettings.READ_ONLY, value);
    }

    /**
     * Sets the isolation of transactions. Default: the server's. Allowed: {@code READ_UNCOMMITTED},
     * {@code READ_COMMITTED}, {@code REPEATABLE_READ}, {@code SERIALIZABLE}, with or without {@code TRANSACTION_}
     * before it, or the driver's number for it, 1 or more.
     */
    public B transactionIsolation(String value) {
        return setText(DataSourceSettings.TRANSACTION_ISOLATION, value);
    }

    /** Sets the catalog, where the database has several. Default: the driver's. */
    public B catalog(String value) {
        return set(DataSourceSettings.CATALOG, value);
    }

    /** Sets the schema in which names are looked up. Default: the driver's. */
    public B schema(String value) {
        return set(DataSourceSettings.SCHEMA, value);
    }

    /**
     * Sets a statement that is run once on each new connection, after the other preparations, and committed if
     * auto-commit is off. It does not appear in messages. Default: none. Allowed: a statement.
     */
    public B connectionInitSql(String value) {
        return set(DataSourceSettings.CONNECTION_INIT_SQL, value);
    }

    /**
     * Sets the most connections held at once, in use or not. Default: 10, or the largest of the three below if that is
     * more. Allowed: 1 to 100,000. Can be changed while the data source runs.
     */
    public B maxOpen(int value) {
        return set(DataSourceSettings.MAX_OPEN, value);
    }

    /**
     * Sets how many connections are ready beside those in use, as far as {@code maxOpen} goes. A value below
     * {@code lowWatermark} is raised to it, with a warning. Default: {@code maxOpen}. Allowed: 0 to {@code maxOpen}.
     * Can be changed while the data source runs.
     */
    public B targetReady(int value) {
        return set(DataSourceSettings.TARGET_READY, value);
    }

    /**
     * Sets the number of connections, ready or in use, below which requests for permits are urgent. The start waits for
     * this many. Default: {@code targetReady}. Allowed: 0 to {@code targetReady}. Can be changed while the data source
     * runs.
     */
    public B lowWatermark(int value) {
        return set(DataSourceSettings.LOW_WATERMARK, value);
    }

    /**
     * Sets how many connections are opened and kept, however many are in use. {@code idleTimeout} does not apply to
     * them. Default: 0. Allowed: 0 to {@code maxOpen}. Can be changed while the data source runs.
     */
    public B minOpen(int value) {
        return set(DataSourceSettings.MIN_OPEN, value);
    }

    /**
     * Sets how long a connection beyond {@code targetReady} and {@code minOpen} may be unused. Default: 0: off.
     * Allowed: 0 to 365 days. Can be changed while the data source runs.
     */
    public B idleTimeout(Duration value) {
        return set(DataSourceSettings.IDLE_TIMEOUT, value);
    }

    /**
     * Sets how many connections beyond {@code maxOpen} may exist while successors take over from those that expire.
     * With 0 a predecessor retires first. Default: -1: a tenth of {@code maxOpen}, at least 1. Allowed: -1 to 100,000.
     */
    public B successorAllowance(int value) {
        return set(DataSourceSettings.SUCCESSOR_ALLOWANCE, value);
    }

    /**
     * Sets the lifetime of a connection, before jitter. A value of 0 or less is replaced by the default, with a
     * warning. Default: 11m. Allowed: 1ms to 365 days. Can be changed while the data source runs.
     */
    public B baseLifetime(Duration value) {
        return set(DataSourceSettings.BASE_LIFETIME, value);
    }

    /**
     * Sets the jitter. Each lifetime is drawn at birth, evenly, from the base plus or minus half of it. A negative
     * value counts as 0, with a warning. Default: 2m. Allowed: 0 to {@code baseLifetime}. Can be changed while the data
     * source runs.
     */
    public B lifetimeJitter(Duration value) {
        return set(DataSourceSettings.LIFETIME_JITTER, value);
    }

    /**
     * Sets the last part of a lifetime, in which a connection is not handed out any more. A negative value counts as 0,
     * with a warning. Default: 45s. Allowed: 0 to less than {@code baseLifetime} minus half of {@code lifetimeJitter}.
     * Can be changed while the data source runs.
     */
    public B guardWindow(Duration value) {
        return set(DataSourceSettings.GUARD_WINDOW, value);
    }

    /**
     * Sets how many connections this reservoir opens in a second. Default: none; from the environment 10. Allowed: more
     * than 0.
     */
    public B connectionRateLimit(double value) {
        return set(DataSourceSettings.CONNECTION_RATE_LIMIT, value);
    }

    /**
     * Sets how many connections may be opened at once after a quiet time. Default: 1; from the environment 100.
     * Allowed: 1 or more, only with a rate limit.
     */
    public B connectionBurstLimit(int value) {
        return set(DataSourceSettings.CONNECTION_BURST_LIMIT, value);
    }

    /** Sets how many connects run, or wait for their permit, at once. Default: 100. Allowed: 1 to 1,000,000. */
    public B opensInFlightMax(int value) {
        return set(DataSourceSettings.OPENS_IN_FLIGHT_MAX, value);
    }

    /**
     * Sets how long a connect may take before it is given up. Known drivers are told not to wait longer, unless their
     * own timeouts are set. Default: 10s. Allowed: more than 0, to 365 days. Can be changed while the data source runs.
     */
    public B connectTimeout(Duration value) {
        return set(DataSourceSettings.CONNECT_TIMEOUT, value);
    }

    /**
     * Sets how fast connections are opened that nobody needs yet: spread over time, or as fast as permits allow.
     * Default: {@code smooth}. Allowed: {@code smooth}, {@code off}.
     */
    public B refillPacing(RefillPacing value) {
        return set(DataSourceSettings.REFILL_PACING, value);
    }

    /**
     * Sets whether the first connect waits for a random time, so that processes that start together do not connect
     * together. Default: false; from the environment true. Allowed: true, false.
     */
    public B staggeredStartup(boolean value) {
        return set(DataSourceSettings.STAGGERED_STARTUP, value);
    }

    /** Sets the longest random wait before the first connect. Default: 5s. Allowed: 0 to 365 days. */
    public B staggeredStartupMaxDelay(Duration value) {
        return set(DataSourceSettings.STAGGERED_STARTUP_MAX_DELAY, value);
    }

    /**
     * Sets how long the start waits for {@code lowWatermark} connections before it warns and goes on. With 0 it does
     * not wait. Default: 30s. Allowed: 0 to 365 days.
     */
    public B initialFillTimeout(Duration value) {
        return set(DataSourceSettings.INITIAL_FILL_TIMEOUT, value);
    }

    /**
     * Sets the source of permits to connect, instead of {@code connectionRateLimit}. Default: this reservoir's own rate
     * limit. Allowed: a {@code dev.reservoir.core.spi.Permits}.
     */
    public B permits(Permits value) {
        return set(DataSourceSettings.PERMITS, value);
    }

    /**
     * Sets the source of leases, without which no connection is held open. It rations open connections, for example
     * over many processes. Default: none needed. Allowed: a {@code dev.reservoir.core.spi.Leases}.
     */
    public B leases(Leases value) {
        return set(DataSourceSettings.LEASES, value);
    }

    /**
     * Sets the rule that tells why a connect failed, for servers whose SQLState does not tell it. Default: none: the
     * standard rules. Allowed: a {@code dev.reservoir.jdbc.ConnectErrorRule}.
     */
    public B connectErrorRule(ConnectErrorRule value) {
        return set(DataSourceSettings.CONNECT_ERROR_RULE, value);
    }

    /**
     * Sets how long {@code getConnection} may wait. With 0 it never waits for a connection. Default: 30s. Allowed: 0 to
     * 365 days. Can be changed while the data source runs.
     */
    public B acquireTimeout(Duration value) {
        return set(DataSourceSettings.ACQUIRE_TIMEOUT, value);
    }

    /**
     * Sets what a checkout does when nothing is ready: queue, fail at once, or queue while a temporary connection
     * beyond {@code maxOpen} is opened. Default: {@code wait}. Allowed: {@code wait}, {@code fail}, {@code overflow}.
     */
    public B exhaustion(Exhaustion value) {
        return set(DataSourceSettings.EXHAUSTION, value);
    }

    /**
     * Sets whether a login that the server refuses, an unknown host or an unknown database ends the start and every
     * checkout at once, after one connect, until the first connection is open. With false it keeps trying, and
     * checkouts wait until their deadline. A database that is merely away is waited for in either case. Default: true.
     * Allowed: true, false.
     */
    public B failFast(boolean value) {
        return set(DataSourceSettings.FAIL_FAST, value);
    }

    /**
     * Sets how many temporary connections may exist at once, with {@code exhaustion} {@code overflow}. Each is closed
     * on return. Default: 10. Allowed: 0 to 100,000.
     */
    public B overflowMax(int value) {
        return set(DataSourceSettings.OVERFLOW_MAX, value);
    }

    /** Sets how many checkouts may wait at once. Default: 100,000. Allowed: 0 or more. */
    public B waitersMax(int value) {
        return set(DataSourceSettings.WAITERS_MAX, value);
    }

    /**
     * Sets how long the oldest waiter must have waited before newcomers queue behind it. A platform thread that was
     * woken and has not run yet may be overtaken for up to 100 times as long. Default: 1ms. Allowed: 0 to 365 days.
     */
    public B overtakingWindow(Duration value) {
        return set(DataSourceSettings.OVERTAKING_WINDOW, value);
    }

    /**
     * Sets the time in use after which a connection is reported, by one warning with the stack of its checkout, and one
     * line at info if it is released later. Each checkout then records its stack, which costs time. Default: 0: off.
     * Allowed: 0 to 365 days.
     */
    public B leakDetectionThreshold(Duration value) {
        return set(DataSourceSettings.LEAK_DETECTION_THRESHOLD, value);
    }

    /**
     * Sets the time in use after which a connection is taken from its caller and closed, with a warning that has the
     * stack of its checkout. It must be longer than any legitimate use. Default: 0: off. Allowed: 0 to 365 days.
     */
    public B abandonedTimeout(Duration value) {
        return set(DataSourceSettings.ABANDONED_TIMEOUT, value);
    }

    /**
     * Sets whether each checkout records its stack for the leak report, which costs time. Default: false. Allowed:
     * true, false.
     */
    public B tracksCheckouts(boolean value) {
        return set(DataSourceSettings.TRACKS_CHECKOUTS, value);
    }

    /**
     * Sets the rule that decides which errors discard a connection. Default: {@code ErrorRule.standard()}. Allowed: a
     * {@code dev.reservoir.jdbc.ErrorRule}, or its class name.
     */
    public B errorRule(ErrorRule value) {
        return set(DataSourceSettings.ERROR_RULE, value);
    }

    /**
     * Does the same as {@link #errorRule(ErrorRule)}, with the name of a class that has a public constructor without
     * parameters.
     */
    public B errorRule(String className) {
        return setText(DataSourceSettings.ERROR_RULE, className);
    }

    /**
     * Sets the action that clears what JDBC cannot restore, such as temporary tables, when a connection that ran
     * something is closed. If it fails, the connection is discarded. Default: none: what JDBC can restore is restored.
     * Allowed: a {@code dev.reservoir.jdbc.ConnectionReset}.
     */
    public B connectionReset(ConnectionReset value) {
        return set(DataSourceSettings.CONNECTION_RESET, value);
    }

    /**
     * Sets how long a connect through {@code jdbc:reservoir:<name>} waits when nothing is ready. A connection that is
     * ready has at least {@code validationTimeout} to answer its validation. Default: 100ms. Allowed: 0 to 365 days.
     */
    public B emptyWait(Duration value) {
        return set(DataSourceSettings.EMPTY_WAIT, value);
    }

    /** Sets how long {@code close} waits for connections in use. Default: 10s. Allowed: 0 to 365 days. */
    public B drainTimeout(Duration value) {
        return set(DataSourceSettings.DRAIN_TIMEOUT, value);
    }

    /**
     * Sets how long a ready connection may be neither used nor validated before it is validated in the background. 0
     * switches that off. One connection a second is validated in any case. Default: 2m. Allowed: 0 to 365 days. Can be
     * changed while the data source runs.
     */
    public B keepalive(Duration value) {
        return set(DataSourceSettings.KEEPALIVE, value);
    }

    /**
     * Sets whether a checkout waits for a validation as well: never, always, or after {@code validationIdle}. Default:
     * {@code idle}. Allowed: {@code background}, {@code checkout}, {@code idle}.
     */
    public B validation(Validation value) {
        return set(DataSourceSettings.VALIDATION, value);
    }

    /**
     * Sets how long ago the last use or validation of a connection may be if it is handed out without a validation,
     * with {@code validation} {@code idle}. Default: 500ms. Allowed: 0 to 365 days.
     */
    public B validationIdle(Duration value) {
        return set(DataSourceSettings.VALIDATION_IDLE, value);
    }

    /**
     * Sets how long a validation may take. Default: 5s. Allowed: 1ms to 365 days. Can be changed while the data source
     * runs.
     */
    public B validationTimeout(Duration value) {
        return set(DataSourceSettings.VALIDATION_TIMEOUT, value);
    }

    /**
     * Sets how calls that wait for an answer notice that their server is dead. Default: {@code full}. Allowed:
     * {@code full}, {@code keepalive}, {@code off}.
     */
    public B deadPeerDetection(DeadPeerDetection value) {
        return set(DataSourceSettings.DEAD_PEER_DETECTION, value);
    }

    /**
     * Sets the statement that validates connections. Default: none: the driver's {@code isValid}. Allowed: a statement.
     */
    public B validationQuery(String value) {
        return set(DataSourceSettings.VALIDATION_QUERY, value);
    }

    /** Sets whether the data source registers itself in JMX. Default: true. Allowed: true, false. */
    public B jmx(boolean value) {
        return set(DataSourceSettings.JMX, value);
    }

    /**
     * Sets objects that are told every event of every connection, on another thread, by the names of their classes with
     * commas between them. Each class needs a public constructor without parameters. Replaces those that were named
     * before.
     */
    public B listener(String classNames) {
        return setText(DataSourceSettings.LISTENER, classNames);
    }

    /**
     * Sets gives the data source threads of its own, which this factory makes. Every thread is renamed
     * {@code reservoir-<name>...} and becomes a daemon. Default: threads that all data sources share. Allowed: a
     * {@code java.util.concurrent.ThreadFactory}, or its class name.
     */
    public B threadFactory(ThreadFactory value) {
        return set(DataSourceSettings.THREAD_FACTORY, value);
    }

    /**
     * Does the same as {@link #threadFactory(ThreadFactory)}, with the name of a class that has a public constructor
     * without parameters.
     */
    public B threadFactory(String className) {
        return setText(DataSourceSettings.THREAD_FACTORY, className);
    }
}
