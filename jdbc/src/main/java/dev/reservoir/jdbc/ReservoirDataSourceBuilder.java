package dev.reservoir.jdbc;

import dev.reservoir.core.Exhaustion;
import dev.reservoir.core.RefillPacing;
import dev.reservoir.core.spi.Credentials;
import dev.reservoir.core.spi.Leases;
import dev.reservoir.core.spi.Listener;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.jdbc.config.Config;
import dev.reservoir.jdbc.config.Environment;
import dev.reservoir.jdbc.config.ServerAgeLimit;
import dev.reservoir.jdbc.config.SettingKeys;
import dev.reservoir.jdbc.session.IsolationLevels;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ThreadFactory;
import javax.sql.DataSource;

/**
 * Collects the settings of a {@link ReservoirDataSource}. Only {@code url}, {@code dataSource} or {@code
 * dataSourceClassName} is required. No method blocks
 * but {@link #build}. What is not allowed is refused by {@link #build}, with a message that names the setting, the value and
 * what is allowed.
 */
public final class ReservoirDataSourceBuilder {
    private final Config config = new Config();
    private boolean built;

    ReservoirDataSourceBuilder() {}

    /**
     * Names it in messages, logs, threads, JMX and {@code jdbc:reservoir:} URLs. If a running one of this process has the name,
     * a number is added, {@code orders-2}, with a warning. Default: {@code unnamed-1} and so on.
     */
    public ReservoirDataSourceBuilder name(String value) {
        config.name = value;
        return this;
    }

    /** The JDBC URL of the database. */
    public ReservoirDataSourceBuilder url(String value) {
        config.url = value;
        return this;
    }

    /**
     * The driver's class, for drivers that do not register themselves. Default: the registered one that accepts the
     * URL.
     */
    public ReservoirDataSourceBuilder driverClassName(String value) {
        config.driverClassName = value;
        return this;
    }

    /** Who to log in as. Default: what the URL or the data source says. */
    public ReservoirDataSourceBuilder username(String value) {
        config.username(value);
        return this;
    }

    /** The password. Shown nowhere. */
    public ReservoirDataSourceBuilder password(String value) {
        config.password(value);
        return this;
    }

    /**
     * Whether connections are in auto-commit mode when they are handed out, and reset to it after each use. Default: as the driver
     * opens them, which by JDBC's rule is in that mode.
     */
    public ReservoirDataSourceBuilder autoCommit(boolean value) {
        config.autoCommit = value;
        return this;
    }

    /** Whether connections are read-only when they are handed out. Default: as the driver opens them. */
    public ReservoirDataSourceBuilder readOnly(boolean value) {
        config.readOnly = value;
        return this;
    }

    /**
     * The transaction isolation that connections are handed out with, such as {@code TRANSACTION_READ_COMMITTED}, {@code
     * READ_COMMITTED} or {@code 2}. Default: the server's.
     */
    public ReservoirDataSourceBuilder transactionIsolation(String value) {
        config.transactionIsolation = IsolationLevels.parse("transactionIsolation", value);
        return this;
    }

    /** The catalog that connections are handed out with. Default: the driver's. */
    public ReservoirDataSourceBuilder catalog(String value) {
        config.catalog = value;
        return this;
    }

    /** The schema that connections are handed out with. Default: the driver's. */
    public ReservoirDataSourceBuilder schema(String value) {
        config.schema = value;
        return this;
    }

    /** A statement that is run once on each new connection, and committed. Default: none. */
    public ReservoirDataSourceBuilder connectionInitSql(String value) {
        config.connectionInitSql = value;
        return this;
    }

    /**
     * The most connections held at once, on loan or not. Default 10, or more if the other targets ask for more. Can be
     * changed while it runs.
     */
    public ReservoirDataSourceBuilder maxOpen(int value) {
        config.maxOpen = value;
        return this;
    }

    /**
     * How many connections should stand ready, as far as {@code maxOpen} allows. Default {@code maxOpen}. Raised to
     * {@code lowWatermark}, with a warning. Can be changed while it runs.
     */
    public ReservoirDataSourceBuilder targetReady(int value) {
        config.targetReady = value;
        return this;
    }

    /**
     * Below so many ready or lent, refilling comes before all else; also what the initial fill waits for. Default
     * {@code targetReady}. Can be changed while it runs.
     */
    public ReservoirDataSourceBuilder lowWatermark(int value) {
        config.lowWatermark = value;
        return this;
    }

    /** What the idle time-out leaves open. Default 0. Can be changed while it runs. */
    public ReservoirDataSourceBuilder minOpen(int value) {
        config.minOpen = value;
        return this;
    }

    /** The lifetime of a connection, before jitter. Default 11 minutes, also for 0 and less, with a warning. */
    public ReservoirDataSourceBuilder baseLifetime(Duration value) {
        config.baseLifetime = value;
        return this;
    }

    /**
     * Lifetimes are spread evenly over the base plus or minus half of this. Default 2 minutes; below 0 counts as 0,
     * with a warning.
     */
    public ReservoirDataSourceBuilder lifetimeJitter(Duration value) {
        config.lifetimeJitter = value;
        return this;
    }

    /**
     * The last stretch of a lifetime, in which a connection is not lent any more. Default 45 seconds; below 0 counts
     * as 0, with a warning.
     */
    public ReservoirDataSourceBuilder guardWindow(Duration value) {
        config.guardWindow = value;
        return this;
    }

    /** How long a checkout may wait for a connection. Default 30 seconds; 0 never waits. */
    public ReservoirDataSourceBuilder acquireTimeout(Duration value) {
        config.acquireTimeout = value;
        return this;
    }

    /**
     * After which a connect is given up. Default 10 seconds. The drivers of PostgreSQL, MySQL, MariaDB and SQL Server are told
     * not to wait longer, unless their own properties for that are set.
     */
    public ReservoirDataSourceBuilder connectTimeout(Duration value) {
        config.connectTimeout = value;
        return this;
    }

    /** How long a connection beyond {@code targetReady} and {@code minOpen} may stand unused. Default 0: for ever. */
    public ReservoirDataSourceBuilder idleTimeout(Duration value) {
        config.idleTimeout = value;
        return this;
    }

    /**
     * How long a ready connection goes unproven before it is proven alive in the background. Default 2 minutes; 0
     * switches that off.
     */
    public ReservoirDataSourceBuilder keepalive(Duration value) {
        config.keepalive = value;
        return this;
    }

    /** Whether connections are validated at checkout as well. Default {@link Validation#IDLE}: after {@code validationIdle}. */
    public ReservoirDataSourceBuilder validation(Validation value) {
        config.validation = value;
        return this;
    }

    /**
     * With {@link Validation#IDLE}, how long a connection may have been idle and still be lent unproven. Default 500
     * milliseconds.
     */
    public ReservoirDataSourceBuilder validationIdle(Duration value) {
        config.validationIdle = value;
        return this;
    }

    /** How long a proof may take. Default 5 seconds. */
    public ReservoirDataSourceBuilder validationTimeout(Duration value) {
        config.validationTimeout = value;
        return this;
    }

    /** What to prove connections with. Default: the driver's {@code isValid}. */
    public ReservoirDataSourceBuilder validationQuery(String value) {
        config.validationQuery = value;
        return this;
    }

    /** What a checkout does when nothing is ready. Default {@link Exhaustion#WAIT}. */
    public ReservoirDataSourceBuilder exhaustion(Exhaustion value) {
        config.exhaustion = value;
        return this;
    }

    /**
     * Whether the start, and every checkout until the first connection is open, fails at once if the server refuses the login, or
     * if the host or the database is unknown. Default true; if false, it keeps trying and checkouts wait until their deadline.
     */
    public ReservoirDataSourceBuilder failFast(boolean value) {
        config.failFast = value;
        return this;
    }

    /** How fast connections are opened that nobody needs yet. Default {@link RefillPacing#SMOOTH}. */
    public ReservoirDataSourceBuilder refillPacing(RefillPacing value) {
        config.refillPacing = value;
        return this;
    }

    /** How calls notice that the server which they wait for is dead. Default {@link DeadPeerDetection#FULL}. */
    public ReservoirDataSourceBuilder deadPeerDetection(DeadPeerDetection value) {
        config.deadPeerDetection = value;
        return this;
    }

    /** How many temporary connections may exist at once, with {@link Exhaustion#OVERFLOW}. Default 10. */
    public ReservoirDataSourceBuilder overflowMax(int value) {
        config.overflowMax = value;
        return this;
    }

    /** How many checkouts may wait at once. Default 100,000. */
    public ReservoirDataSourceBuilder waitersMax(int value) {
        config.waitersMax = value;
        return this;
    }

    /**
     * How long the oldest waiter must have waited before newcomers may not overtake any more. Default 1 millisecond.
     */
    public ReservoirDataSourceBuilder overtakingWindow(Duration value) {
        config.overtakingWindow = value;
        return this;
    }

    /**
     * How many connections beyond {@code maxOpen} may exist while successors take over. Default -1: a tenth of
     * {@code maxOpen}, at least 1.
     */
    public ReservoirDataSourceBuilder successorAllowance(int value) {
        config.successorAllowance = value;
        return this;
    }

    /** How many connects run or wait for their permit at once. Default 100. */
    public ReservoirDataSourceBuilder opensInFlightMax(int value) {
        config.opensInFlightMax = value;
        return this;
    }

    /** How many connections this reservoir may open in a second. Default: no limit; from the environment, 10. */
    public ReservoirDataSourceBuilder connectionRateLimit(double value) {
        config.connectionRateLimit = value;
        return this;
    }

    /**
     * How many connections may be opened at once after a quiet time. Only with a rate limit. Default 1; from the
     * environment, 100.
     */
    public ReservoirDataSourceBuilder connectionBurstLimit(int value) {
        config.connectionBurstLimit = value;
        return this;
    }

    /**
     * Whether the first connect waits for a random time, so that many processes do not start together. Default false;
     * from the environment, true.
     */
    public ReservoirDataSourceBuilder staggeredStartup(boolean value) {
        config.staggeredStartup = value;
        return this;
    }

    /** The longest such wait. Default 5 seconds. */
    public ReservoirDataSourceBuilder staggeredStartupMaxDelay(Duration value) {
        config.staggeredStartupMaxDelay = value;
        return this;
    }

    /**
     * How long the start waits for {@code lowWatermark} connections before it warns and goes on. Default 30 seconds; 0
     * does not wait.
     */
    public ReservoirDataSourceBuilder initialFillTimeout(Duration value) {
        config.initialFillTimeout = value;
        return this;
    }

    /** How long a {@code jdbc:reservoir:} connect waits when nothing is ready. Default 100 milliseconds. */
    public ReservoirDataSourceBuilder emptyWait(Duration value) {
        config.emptyWait = value;
        return this;
    }

    /** How long {@code close} waits for connections on loan. Default 10 seconds. */
    public ReservoirDataSourceBuilder drainTimeout(Duration value) {
        config.drainTimeout = value;
        return this;
    }

    /** Whether each checkout records its stack for the leak report, which costs time. Default false. */
    public ReservoirDataSourceBuilder tracksCheckouts(boolean value) {
        config.tracksCheckouts = value;
        return this;
    }

    /**
     * After how long in use a connection is reported: one warning with the stack of the checkout, and one line at info when it comes
     * back after all. Each checkout records its stack then, which costs time. Connections that a pool on top got by {@code
     * jdbc:reservoir:} are not reported. Default 0: never.
     */
    public ReservoirDataSourceBuilder leakDetectionThreshold(Duration value) {
        config.leakDetectionThreshold = value;
        return this;
    }

    /**
     * After how long in use a connection is taken from its caller and closed, with a warning that holds the stack of the checkout.
     * Each checkout records its stack then, which costs time. Must be longer than any honest use. Connections of another
     * pool on top are left to it, since it holds them for as long as they live. Default 0: never.
     */
    public ReservoirDataSourceBuilder abandonedTimeout(Duration value) {
        config.abandonedTimeout = value;
        return this;
    }

    /** Whether it shows itself in JMX. Default true. */
    public ReservoirDataSourceBuilder jmx(boolean value) {
        config.jmx = value;
        return this;
    }

    /** Where physical connections come from, in place of a URL. */
    public ReservoirDataSourceBuilder dataSource(DataSource value) {
        config.dataSource = value;
        return this;
    }

    /** Where the user and the secret for each connect come from, in place of a fixed user and password. */
    public ReservoirDataSourceBuilder credentials(Credentials value) {
        config.credentials.set(value);
        return this;
    }

    /** The same by the name of a class with a public constructor without parameters. */
    public ReservoirDataSourceBuilder credentials(String className) {
        config.credentials.setClassName(className);
        return this;
    }

    /**
     * The class of the data source that physical connections come from, in place of a URL. The driver's properties are set by its
     * setters.
     */
    public ReservoirDataSourceBuilder dataSourceClassName(String value) {
        config.dataSourceClassName = value;
        return this;
    }

    /** One property for the driver. */
    public ReservoirDataSourceBuilder driverProperty(String key, String value) {
        config.driverProperties.setProperty(key, value);
        return this;
    }

    /** Properties for the driver, added to those given before. */
    public ReservoirDataSourceBuilder driverProperties(Properties values) {
        values.stringPropertyNames().forEach(key -> driverProperty(key, values.getProperty(key)));
        return this;
    }

    /** Where permits to connect come from, in place of this reservoir's own rate limit. */
    public ReservoirDataSourceBuilder permits(Permits value) {
        config.permits = value;
        return this;
    }

    /** Where leases come from, without which no connection is held open. Default: none are needed. */
    public ReservoirDataSourceBuilder leases(Leases value) {
        config.leases = value;
        return this;
    }

    /** Tells errors that cost a connection its place from others. Default {@link ErrorRule#standard}. */
    public ReservoirDataSourceBuilder errorRule(ErrorRule value) {
        config.errorRule.set(value);
        return this;
    }

    /** The same by the name of a class with a public constructor without parameters. */
    public ReservoirDataSourceBuilder errorRule(String className) {
        config.errorRule.setClassName(className);
        return this;
    }

    /** Makes all threads of the data source, which names them and makes them daemons. Default: plain threads. */
    public ReservoirDataSourceBuilder threadFactory(ThreadFactory value) {
        config.threadFactory.set(value);
        return this;
    }

    /** The same by the name of a class with a public constructor without parameters. */
    public ReservoirDataSourceBuilder threadFactory(String className) {
        config.threadFactory.setClassName(className);
        return this;
    }

    /**
     * The age at which the server closes a connection, whoever uses it. Lifetimes must end before, and the last loan must begin
     * early enough for the longest transaction. A connection that breaks at that age all the same, since it was on loan for too
     * long, says so: beside its error, among the suppressed ones, and in the log. Default: the server has no such limit.
     *
     * @param age how old a connection may get
     * @param transaction how long a transaction may last
     */
    public ReservoirDataSourceBuilder serverAgeLimit(Duration age, Duration transaction) {
        config.serverAgeLimit = new ServerAgeLimit(age, transaction);
        return this;
    }

    /**
     * The only transaction isolation that the server has, for servers that refuse to be told even that one. To set it sends nothing to the
     * server; to set another is left to the server. Default: the server has several.
     *
     * @param level such as {@code TRANSACTION_REPEATABLE_READ}, {@code REPEATABLE_READ} or a number of {@link java.sql.Connection}
     */
    public ReservoirDataSourceBuilder onlyTransactionIsolation(String level) {
        config.onlyTransactionIsolation = IsolationLevels.parse("onlyTransactionIsolation", level);
        return this;
    }

    /** Adds one that hears every event. What it is told of a connection is no connection that it could use. */
    public ReservoirDataSourceBuilder listener(Listener<Object> value) {
        config.listeners.add(value);
        return this;
    }

    /**
     * Further listeners, by the names of classes with a public constructor without parameters, separated by commas. Replaces those
     * that were named before.
     */
    public ReservoirDataSourceBuilder listener(String classNames) {
        config.listenerClassNames = classNames;
        return this;
    }

    /** Settings by their keys, as at {@link ReservoirDataSource#fromProperties}. Later ones replace earlier ones. */
    public ReservoirDataSourceBuilder properties(Properties values) {
        values.stringPropertyNames().forEach(key -> SettingKeys.set(config, key, values.getProperty(key)));
        values.forEach((key, value) -> {
            if (!(value instanceof String)) {
                SettingKeys.set(config, String.valueOf(key), String.valueOf(value));
            }
        });
        return this;
    }

    /** Settings of environment variables, as at {@link ReservoirDataSource#fromEnvironment(Map)}. */
    public ReservoirDataSourceBuilder environment(Map<String, String> variables) {
        Environment.apply(variables, config);
        return this;
    }

    /**
     * Whether the environment asked for a reservoir: {@code DSQL_RESERVOIR_ENABLED} is true. Anything that is not clearly true
     * counts as false, and then {@link #build} keeps no connections ready; a program can also offer something else instead.
     */
    public boolean isReservoirMode() {
        return config.reservoirMode;
    }

    /**
     * Starts the reservoir. Blocks until {@code lowWatermark} connections stand ready, for {@code initialFillTimeout} at most;
     * after that it warns and goes on, while the filling goes on in the background.
     *
     * @throws IllegalArgumentException if a setting is not allowed
     * @throws IllegalStateException if this builder has been used; also, unless {@code failFast} is false, if the server refuses the
     *     first login, or the host or the database is unknown: then the cause is what the driver threw
     */
    public ReservoirDataSource build() {
        if (built) {
            throw new IllegalStateException("this builder has built its data source; take another for the next");
        }
        built = true;
        return ReservoirDataSource.started(config);
    }
}
