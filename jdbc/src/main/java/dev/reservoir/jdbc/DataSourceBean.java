package dev.reservoir.jdbc;

import dev.reservoir.core.Exhaustion;
import dev.reservoir.core.RefillPacing;
import dev.reservoir.core.spi.Credentials;
import dev.reservoir.core.spi.Leases;
import dev.reservoir.core.spi.Listener;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.jdbc.config.Config;
import dev.reservoir.jdbc.config.DurationText;
import dev.reservoir.jdbc.config.SettingKeys;
import dev.reservoir.jdbc.log.Secrets;
import dev.reservoir.jdbc.session.IsolationLevels;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a {@link ReservoirDataSource} as a bean, for frameworks that build it by setters. Durations are texts here, such
 * as {@code 11m}, {@code 250ms} or {@code PT11M}, since that is what every framework can hand over. Getters say what was set, or
 * the default; there is none for the password.
 *
 * <p>Settings are judged at the start, so setters may come in any order. After it, the settings that say so can be changed, and
 * take effect soon: targets, user and password, timeouts and lifetimes. What is not allowed is refused with an {@link
 * IllegalArgumentException} then and changes nothing. Every other setter throws {@link IllegalStateException}. No method blocks.
 */
public abstract sealed class DataSourceBean permits ReservoirDataSource {
    public final Config config;

    DataSourceBean(Config config) {
        this.config = config;
    }

    /** The settings for being changed; throws if that is too late. */
    public abstract Config config();

    /** Changes what can be changed at any time, now if it runs. What is not allowed throws and changes nothing. */
    abstract void change(Consumer<Config> change);

    /**
     * Names it in messages, logs, threads, JMX and {@code jdbc:reservoir:} URLs. If a running one of this process has the name,
     * a number is added, {@code orders-2}, with a warning. Default: {@code unnamed-1} and so on.
     */
    public void setName(@Nullable String value) {
        config().name = value;
    }

    /** The name that was set or, once it runs, the one that it runs under. */
    public @Nullable String getName() {
        return config.name;
    }

    /** The JDBC URL of the database. */
    public void setUrl(@Nullable String value) {
        config().url = value;
    }

    public @Nullable String getUrl() {
        return config.url == null ? null : Secrets.maskUrl(config.url);
    }

    /**
     * The driver's class, for drivers that do not register themselves. Default: the registered one that accepts the
     * URL.
     */
    public void setDriverClassName(@Nullable String value) {
        config().driverClassName = value;
    }

    public @Nullable String getDriverClassName() {
        return config.driverClassName;
    }

    /**
     * Who to log in as. Default: what the URL or the data source says. Can be changed while it runs, for the connections that are
     * opened from then on.
     */
    public void setUsername(@Nullable String value) {
        change(c -> c.username(value));
    }

    public @Nullable String getUsername() {
        return config.login.user();
    }

    /** The password. Shown nowhere. Can be changed while it runs, for the connections that are opened from then on. */
    public void setPassword(@Nullable String value) {
        change(c -> c.password(value));
    }

    /**
     * Whether connections are in auto-commit mode when they are handed out, and reset to it after each use. Default: as the driver
     * opens them, which by JDBC's rule is in that mode.
     */
    public void setAutoCommit(@Nullable Boolean value) {
        config().autoCommit = value;
    }

    public @Nullable Boolean getAutoCommit() {
        return config.autoCommit;
    }

    /** Whether connections are read-only when they are handed out. Default: as the driver opens them. */
    public void setReadOnly(@Nullable Boolean value) {
        config().readOnly = value;
    }

    public @Nullable Boolean getReadOnly() {
        return config.readOnly;
    }

    /**
     * The transaction isolation that connections are handed out with, such as {@code TRANSACTION_READ_COMMITTED}, {@code
     * READ_COMMITTED} or {@code 2}. Default: the server's.
     */
    public void setTransactionIsolation(@Nullable String value) {
        config().transactionIsolation = value == null ? null : IsolationLevels.parse("transactionIsolation", value);
    }

    public @Nullable String getTransactionIsolation() {
        return SettingKeys.isolation(config);
    }

    /** The catalog that connections are handed out with. Default: the driver's. */
    public void setCatalog(@Nullable String value) {
        config().catalog = value;
    }

    public @Nullable String getCatalog() {
        return config.catalog;
    }

    /** The schema that connections are handed out with. Default: the driver's. */
    public void setSchema(@Nullable String value) {
        config().schema = value;
    }

    public @Nullable String getSchema() {
        return config.schema;
    }

    /** A statement that is run once on each new connection, and committed. Default: none. */
    public void setConnectionInitSql(@Nullable String value) {
        config().connectionInitSql = value;
    }

    public @Nullable String getConnectionInitSql() {
        return config.connectionInitSql;
    }

    /**
     * The most connections held at once, on loan or not. Default 10, or more if the other targets ask for more. Can be
     * changed while it runs.
     */
    public void setMaxOpen(int value) {
        change(c -> c.maxOpen = value);
    }

    public int getMaxOpen() {
        return config.maxOpenOrDefault();
    }

    /**
     * How many connections should stand ready, as far as {@code maxOpen} allows. Default {@code maxOpen}. Raised to
     * {@code lowWatermark}, with a warning. Can be changed while it runs.
     */
    public void setTargetReady(int value) {
        change(c -> c.targetReady = value);
    }

    public int getTargetReady() {
        return config.targetReadyOrDefault();
    }

    /**
     * Below so many ready or lent, refilling comes before all else; also what the initial fill waits for. Default
     * {@code targetReady}. Can be changed while it runs.
     */
    public void setLowWatermark(int value) {
        change(c -> c.lowWatermark = value);
    }

    public int getLowWatermark() {
        return config.lowWatermarkOrDefault();
    }

    /** What the idle time-out leaves open. Default 0. Can be changed while it runs. */
    public void setMinOpen(int value) {
        change(c -> c.minOpen = value);
    }

    public int getMinOpen() {
        return config.minOpen;
    }

    /** The lifetime of a connection, before jitter. Default 11 minutes, also for 0 and less, with a warning. */
    public void setBaseLifetime(String value) {
        Duration duration = DurationText.parse("baseLifetime", value);
        change(c -> c.baseLifetime = duration);
    }

    public String getBaseLifetime() {
        return DurationText.format(config.baseLifetime);
    }

    /**
     * Lifetimes are spread evenly over the base plus or minus half of this. Default 2 minutes; below 0 counts as 0,
     * with a warning.
     */
    public void setLifetimeJitter(String value) {
        Duration duration = DurationText.parse("lifetimeJitter", value);
        change(c -> c.lifetimeJitter = duration);
    }

    public String getLifetimeJitter() {
        return DurationText.format(config.lifetimeJitter);
    }

    /**
     * The last stretch of a lifetime, in which a connection is not lent any more. Default 45 seconds; below 0 counts
     * as 0, with a warning.
     */
    public void setGuardWindow(String value) {
        Duration duration = DurationText.parse("guardWindow", value);
        change(c -> c.guardWindow = duration);
    }

    public String getGuardWindow() {
        return DurationText.format(config.guardWindow);
    }

    /** How long a checkout may wait for a connection. Default 30 seconds; 0 never waits. */
    public void setAcquireTimeout(String value) {
        Duration duration = DurationText.parse("acquireTimeout", value);
        change(c -> c.acquireTimeout = duration);
    }

    public String getAcquireTimeout() {
        return DurationText.format(config.acquireTimeout);
    }

    /**
     * After which a connect is given up. Default 10 seconds. The drivers of PostgreSQL, MySQL, MariaDB and SQL Server are told
     * not to wait longer, unless their own properties for that are set.
     */
    public void setConnectTimeout(String value) {
        Duration duration = DurationText.parse("connectTimeout", value);
        change(c -> c.connectTimeout = duration);
    }

    public String getConnectTimeout() {
        return DurationText.format(config.connectTimeout);
    }

    /** How long a connection beyond {@code targetReady} and {@code minOpen} may stand unused. Default 0: for ever. */
    public void setIdleTimeout(String value) {
        Duration duration = DurationText.parse("idleTimeout", value);
        change(c -> c.idleTimeout = duration);
    }

    public String getIdleTimeout() {
        return DurationText.format(config.idleTimeout);
    }

    /**
     * How long a ready connection goes unproven before it is proven alive in the background. Default 2 minutes; 0
     * switches that off.
     */
    public void setKeepalive(String value) {
        Duration duration = DurationText.parse("keepalive", value);
        change(c -> c.keepalive = duration);
    }

    public String getKeepalive() {
        return DurationText.format(config.keepalive);
    }

    /** Whether connections are validated at checkout as well. Default {@link Validation#IDLE}: after {@code validationIdle}. */
    public void setValidation(Validation value) {
        config().validation = value;
    }

    public Validation getValidation() {
        return config.validation;
    }

    /**
     * With {@link Validation#IDLE}, how long a connection may have been idle and still be lent unproven. Default 500
     * milliseconds.
     */
    public void setValidationIdle(String value) {
        config().validationIdle = DurationText.parse("validationIdle", value);
    }

    public String getValidationIdle() {
        return DurationText.format(config.validationIdle);
    }

    /** How long a proof may take. Default 5 seconds. */
    public void setValidationTimeout(String value) {
        Duration duration = DurationText.parse("validationTimeout", value);
        change(c -> c.validationTimeout = duration);
    }

    public String getValidationTimeout() {
        return DurationText.format(config.validationTimeout);
    }

    /** What to prove connections with. Default: the driver's {@code isValid}. */
    public void setValidationQuery(@Nullable String value) {
        config().validationQuery = value;
    }

    public @Nullable String getValidationQuery() {
        return config.validationQuery;
    }

    /** What a checkout does when nothing is ready. Default {@link Exhaustion#WAIT}. */
    public void setExhaustion(Exhaustion value) {
        config().exhaustion = value;
    }

    public Exhaustion getExhaustion() {
        return config.exhaustion;
    }

    /**
     * Whether the start, and every checkout until the first connection is open, fails at once if the server refuses the login, or
     * if the host or the database is unknown. Default true; if false, it keeps trying and checkouts wait until their deadline.
     */
    public void setFailFast(boolean value) {
        config().failFast = value;
    }

    public boolean isFailFast() {
        return config.failFast;
    }

    /** How fast connections are opened that nobody needs yet. Default {@link RefillPacing#SMOOTH}. */
    public void setRefillPacing(RefillPacing value) {
        config().refillPacing = value;
    }

    public RefillPacing getRefillPacing() {
        return config.refillPacing;
    }

    /** How calls notice that the server which they wait for is dead. Default {@link DeadPeerDetection#FULL}. */
    public void setDeadPeerDetection(DeadPeerDetection value) {
        config().deadPeerDetection = value;
    }

    public DeadPeerDetection getDeadPeerDetection() {
        return config.deadPeerDetection;
    }

    /** How many temporary connections may exist at once, with {@link Exhaustion#OVERFLOW}. Default 10. */
    public void setOverflowMax(int value) {
        config().overflowMax = value;
    }

    public int getOverflowMax() {
        return config.overflowMax;
    }

    /** How many checkouts may wait at once. Default 100,000. */
    public void setWaitersMax(int value) {
        config().waitersMax = value;
    }

    public int getWaitersMax() {
        return config.waitersMax;
    }

    /**
     * How long the oldest waiter must have waited before newcomers may not overtake any more. Default 1 millisecond.
     */
    public void setOvertakingWindow(String value) {
        config().overtakingWindow = DurationText.parse("overtakingWindow", value);
    }

    public String getOvertakingWindow() {
        return DurationText.format(config.overtakingWindow);
    }

    /**
     * How many connections beyond {@code maxOpen} may exist while successors take over. Default -1: a tenth of
     * {@code maxOpen}, at least 1.
     */
    public void setSuccessorAllowance(int value) {
        config().successorAllowance = value;
    }

    public int getSuccessorAllowance() {
        return config.successorAllowance;
    }

    /** How many connects run or wait for their permit at once. Default 100. */
    public void setOpensInFlightMax(int value) {
        config().opensInFlightMax = value;
    }

    public int getOpensInFlightMax() {
        return config.opensInFlightMax;
    }

    /** How many connections this reservoir may open in a second. Default: no limit; from the environment, 10. */
    public void setConnectionRateLimit(double value) {
        config().connectionRateLimit = value;
    }

    public double getConnectionRateLimit() {
        return config.connectionRateLimit == null ? Double.POSITIVE_INFINITY : config.connectionRateLimit;
    }

    /**
     * How many connections may be opened at once after a quiet time. Only with a rate limit. Default 1; from the
     * environment, 100.
     */
    public void setConnectionBurstLimit(int value) {
        config().connectionBurstLimit = value;
    }

    public int getConnectionBurstLimit() {
        return config.connectionBurstLimit == null ? 1 : config.connectionBurstLimit;
    }

    /**
     * Whether the first connect waits for a random time, so that many processes do not start together. Default false;
     * from the environment, true.
     */
    public void setStaggeredStartup(boolean value) {
        config().staggeredStartup = value;
    }

    public boolean isStaggeredStartup() {
        return config.staggeredStartup;
    }

    /** The longest such wait. Default 5 seconds. */
    public void setStaggeredStartupMaxDelay(String value) {
        config().staggeredStartupMaxDelay = DurationText.parse("staggeredStartupMaxDelay", value);
    }

    public String getStaggeredStartupMaxDelay() {
        return DurationText.format(config.staggeredStartupMaxDelay);
    }

    /**
     * How long the start waits for {@code lowWatermark} connections before it warns and goes on. Default 30 seconds; 0
     * does not wait.
     */
    public void setInitialFillTimeout(String value) {
        config().initialFillTimeout = DurationText.parse("initialFillTimeout", value);
    }

    public String getInitialFillTimeout() {
        return DurationText.format(config.initialFillTimeout);
    }

    /** How long a {@code jdbc:reservoir:} connect waits when nothing is ready. Default 100 milliseconds. */
    public void setEmptyWait(String value) {
        config().emptyWait = DurationText.parse("emptyWait", value);
    }

    public String getEmptyWait() {
        return DurationText.format(config.emptyWait);
    }

    /** How long {@code close} waits for connections on loan. Default 10 seconds. */
    public void setDrainTimeout(String value) {
        config().drainTimeout = DurationText.parse("drainTimeout", value);
    }

    public String getDrainTimeout() {
        return DurationText.format(config.drainTimeout);
    }

    /** Whether each checkout records its stack for the leak report, which costs time. Default false. */
    public void setTracksCheckouts(boolean value) {
        config().tracksCheckouts = value;
    }

    public boolean isTracksCheckouts() {
        return config.tracksCheckouts;
    }

    /**
     * After how long in use a connection is reported: one warning with the stack of the checkout, and one line at info when it comes
     * back after all. Each checkout records its stack then, which costs time. Connections that a pool on top got by {@code
     * jdbc:reservoir:} are not reported. Default 0: never.
     */
    public void setLeakDetectionThreshold(String value) {
        config().leakDetectionThreshold = DurationText.parse("leakDetectionThreshold", value);
    }

    public String getLeakDetectionThreshold() {
        return DurationText.format(config.leakDetectionThreshold);
    }

    /**
     * After how long in use a connection is taken from its caller and closed, with a warning that holds the stack of the checkout.
     * Each checkout records its stack then, which costs time. Must be longer than any honest use. Connections of another
     * pool on top are left to it, since it holds them for as long as they live. Default 0: never.
     */
    public void setAbandonedTimeout(String value) {
        config().abandonedTimeout = DurationText.parse("abandonedTimeout", value);
    }

    public String getAbandonedTimeout() {
        return DurationText.format(config.abandonedTimeout);
    }

    /** Whether it shows itself in JMX. Default true. */
    public void setJmx(boolean value) {
        config().jmx = value;
    }

    public boolean isJmx() {
        return config.jmx;
    }

    /** Where physical connections come from, in place of a URL. */
    public void setDataSource(DataSource value) {
        config().dataSource = value;
    }

    /**
     * The class of the data source that physical connections come from, in place of a URL. The driver's properties are set by its
     * setters.
     */
    public void setDataSourceClassName(@Nullable String value) {
        config().dataSourceClassName = value;
    }

    public @Nullable String getDataSourceClassName() {
        return config.dataSourceClassName;
    }

    /** Where the user and the secret for each connect come from, in place of a fixed user and password. */
    public void setCredentials(Credentials value) {
        config().credentials.set(value);
    }

    /** The same for frameworks: a {@code Credentials}, or the name of its class, which has a public constructor without parameters. */
    public void setCredentials(@Nullable Object value) {
        config().credentials.setAny(value);
    }

    /** What was given: an object, or the name of its class. */
    public @Nullable Object getCredentials() {
        return config.credentials.any();
    }

    /** Where permits to connect come from, in place of this reservoir's own rate limit. */
    public void setPermits(Permits value) {
        config().permits = value;
    }

    /** Where leases come from, without which no connection is held open. Default: none are needed. */
    public void setLeases(Leases value) {
        config().leases = value;
    }

    /** Tells errors that cost a connection its place from others. Default {@link ErrorRule#standard}. */
    public void setErrorRule(ErrorRule value) {
        config().errorRule.set(value);
    }

    /** The same for frameworks: a {@code ErrorRule}, or the name of its class, which has a public constructor without parameters. */
    public void setErrorRule(@Nullable Object value) {
        config().errorRule.setAny(value);
    }

    /** What was given: an object, or the name of its class. */
    public @Nullable Object getErrorRule() {
        return config.errorRule.any();
    }

    /** Makes all threads of the data source, which names them and makes them daemons. Default: plain threads. */
    public void setThreadFactory(ThreadFactory value) {
        config().threadFactory.set(value);
    }

    /** The same for frameworks: a {@code ThreadFactory}, or the name of its class, which has a public constructor without parameters. */
    public void setThreadFactory(@Nullable Object value) {
        config().threadFactory.setAny(value);
    }

    /** What was given: an object, or the name of its class. */
    public @Nullable Object getThreadFactory() {
        return config.threadFactory.any();
    }

    /** Adds one that hears every event. What it is told of a connection is no connection that it could use. */
    public void addListener(Listener<Object> value) {
        config().listeners.add(value);
    }

    /**
     * Further listeners, by the names of classes with a public constructor without parameters, separated by commas. Replaces those
     * that were named before.
     */
    public void setListener(@Nullable String classNames) {
        config().listenerClassNames = classNames;
    }

    /** The names of the classes of listeners that were given so. */
    public @Nullable String getListener() {
        return config.listenerClassNames;
    }

    /** Adds properties for the driver. */
    public void setDriverProperties(Properties values) {
        Config target = config();
        values.stringPropertyNames().forEach(key -> target.driverProperties.setProperty(key, values.getProperty(key)));
    }

    /** Adds one property for the driver. */
    public void addDriverProperty(String key, String value) {
        config().driverProperties.setProperty(key, value);
    }
}
