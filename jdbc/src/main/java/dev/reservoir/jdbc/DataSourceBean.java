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
    final Config config;

    DataSourceBean(Config config) {
        this.config = config;
    }

    /** Returns the settings so that a setter can change them. Throws if the data source has started. */
    abstract Config config();

    /**
     * Changes settings that can be changed at any time. If the data source runs, the change applies now. A value that
     * is not allowed throws and changes nothing.
     */
    abstract void change(Consumer<Config> change);

    /**
     * Sets the name used in messages, logs, threads, JMX and {@code jdbc:reservoir:} URLs. If a running data source of
     * this process already has the name, this one gets a number as well, such as {@code orders-2}, and logs a warning.
     * Default: {@code unnamed-1} and so on.
     */
    public void setName(@Nullable String value) {
        config().name = value;
    }

    /** Returns the name that was set. Once the data source runs, returns the name that it runs under. */
    public @Nullable String getName() {
        return config.name;
    }

    /** Sets the JDBC URL of the database. */
    public void setUrl(@Nullable String value) {
        config().url = value;
    }

    public @Nullable String getUrl() {
        return config.url == null ? null : Secrets.maskUrl(config.url);
    }

    /**
     * Sets the class name of the driver, for drivers that do not register themselves. Default: the registered driver
     * that accepts the URL.
     */
    public void setDriverClassName(@Nullable String value) {
        config().driverClassName = value;
    }

    public @Nullable String getDriverClassName() {
        return config.driverClassName;
    }

    /**
     * Sets the user to log in as. Default: the user that the URL or the data source specifies. Can be changed while the
     * data source runs; connections opened from then on use it.
     */
    public void setUsername(@Nullable String value) {
        change(c -> c.username(value));
    }

    public @Nullable String getUsername() {
        return config.login.user();
    }

    /**
     * Sets the password. It is never shown in a log, a message or a getter. Can be changed while the data source runs;
     * connections opened from then on use it.
     */
    public void setPassword(@Nullable String value) {
        change(c -> c.password(value));
    }

    /**
     * Sets whether callers get connections in auto-commit mode. The mode is reset after each use. Default: as the
     * driver opens connections, which JDBC defines as auto-commit.
     */
    public void setAutoCommit(@Nullable Boolean value) {
        config().autoCommit = value;
    }

    public @Nullable Boolean getAutoCommit() {
        return config.autoCommit;
    }

    /** Sets whether callers get read-only connections. Default: as the driver opens them. */
    public void setReadOnly(@Nullable Boolean value) {
        config().readOnly = value;
    }

    public @Nullable Boolean getReadOnly() {
        return config.readOnly;
    }

    /**
     * Sets the transaction isolation that callers get connections with, such as {@code TRANSACTION_READ_COMMITTED},
     * {@code READ_COMMITTED} or {@code 2}. Default: the isolation of the server.
     */
    public void setTransactionIsolation(@Nullable String value) {
        config().transactionIsolation = value == null ? null : IsolationLevels.parse("transactionIsolation", value);
    }

    public @Nullable String getTransactionIsolation() {
        return SettingKeys.isolation(config);
    }

    /** Sets the catalog that callers get connections with. Default: the catalog of the driver. */
    public void setCatalog(@Nullable String value) {
        config().catalog = value;
    }

    public @Nullable String getCatalog() {
        return config.catalog;
    }

    /** Sets the schema that callers get connections with. Default: the schema of the driver. */
    public void setSchema(@Nullable String value) {
        config().schema = value;
    }

    public @Nullable String getSchema() {
        return config.schema;
    }

    /** Sets a statement that is run once on each new connection and then committed. Default: none. */
    public void setConnectionInitSql(@Nullable String value) {
        config().connectionInitSql = value;
    }

    public @Nullable String getConnectionInitSql() {
        return config.connectionInitSql;
    }

    /**
     * Sets the maximum number of connections held at once, in use or not. Default: 10, or the largest of the other
     * targets if that is greater. Can be changed while the data source runs.
     */
    public void setMaxOpen(int value) {
        change(c -> c.maxOpen = value);
    }

    public int getMaxOpen() {
        return config.maxOpenOrDefault();
    }

    /**
     * Sets how many connections to keep ready, as far as {@code maxOpen} allows. Default: {@code maxOpen}. A value
     * below {@code lowWatermark} is raised to it, with a warning. Can be changed while the data source runs.
     */
    public void setTargetReady(int value) {
        change(c -> c.targetReady = value);
    }

    public int getTargetReady() {
        return config.targetReadyOrDefault();
    }

    /**
     * Sets the number of ready and in-use connections below which refilling takes priority. The initial fill waits for
     * this number too. Default: {@code targetReady}. Can be changed while the data source runs.
     */
    public void setLowWatermark(int value) {
        change(c -> c.lowWatermark = value);
    }

    public int getLowWatermark() {
        return config.lowWatermarkOrDefault();
    }

    /**
     * Sets how many connections the idle timeout leaves open. Default: 0. Can be changed while the data source runs.
     */
    public void setMinOpen(int value) {
        change(c -> c.minOpen = value);
    }

    public int getMinOpen() {
        return config.minOpen;
    }

    /**
     * Sets the lifetime of a connection, before jitter. Default: 11 minutes. A value of 0 or less is replaced by the
     * default, with a warning.
     */
    public void setBaseLifetime(String value) {
        Duration duration = DurationText.parse("baseLifetime", value);
        change(c -> c.baseLifetime = duration);
    }

    public String getBaseLifetime() {
        return DurationText.format(config.baseLifetime);
    }

    /**
     * Sets the jitter. Lifetimes are spread evenly over the base lifetime plus or minus half of it. Default: 2 minutes.
     * A negative value counts as 0, with a warning.
     */
    public void setLifetimeJitter(String value) {
        Duration duration = DurationText.parse("lifetimeJitter", value);
        change(c -> c.lifetimeJitter = duration);
    }

    public String getLifetimeJitter() {
        return DurationText.format(config.lifetimeJitter);
    }

    /**
     * Sets the last part of a lifetime, in which a connection is not handed out any more. Default: 45 seconds. A
     * negative value counts as 0, with a warning.
     */
    public void setGuardWindow(String value) {
        Duration duration = DurationText.parse("guardWindow", value);
        change(c -> c.guardWindow = duration);
    }

    public String getGuardWindow() {
        return DurationText.format(config.guardWindow);
    }

    /** Sets how long a checkout may wait for a connection. Default: 30 seconds. With 0, a checkout never waits. */
    public void setAcquireTimeout(String value) {
        Duration duration = DurationText.parse("acquireTimeout", value);
        change(c -> c.acquireTimeout = duration);
    }

    public String getAcquireTimeout() {
        return DurationText.format(config.acquireTimeout);
    }

    /**
     * Sets the time after which a connect is abandoned. Default: 10 seconds. The drivers of PostgreSQL, MySQL, MariaDB
     * and SQL Server get the same timeout, unless their own timeout properties are set.
     */
    public void setConnectTimeout(String value) {
        Duration duration = DurationText.parse("connectTimeout", value);
        change(c -> c.connectTimeout = duration);
    }

    public String getConnectTimeout() {
        return DurationText.format(config.connectTimeout);
    }

    /**
     * Sets how long a connection beyond {@code targetReady} and {@code minOpen} may stay unused. Default: 0, which
     * means without limit.
     */
    public void setIdleTimeout(String value) {
        Duration duration = DurationText.parse("idleTimeout", value);
        change(c -> c.idleTimeout = duration);
    }

    public String getIdleTimeout() {
        return DurationText.format(config.idleTimeout);
    }

    /**
     * Sets how long a ready connection may go without validation before it is validated in the background. Default: 2
     * minutes. 0 turns this validation off.
     */
    public void setKeepalive(String value) {
        Duration duration = DurationText.parse("keepalive", value);
        change(c -> c.keepalive = duration);
    }

    public String getKeepalive() {
        return DurationText.format(config.keepalive);
    }

    /**
     * Sets whether connections are validated at checkout as well. Default: {@link Validation#IDLE}, which validates
     * after {@code validationIdle}.
     */
    public void setValidation(Validation value) {
        config().validation = value;
    }

    public Validation getValidation() {
        return config.validation;
    }

    /**
     * Sets how long a connection may have been idle and still be handed out without validation. Applies to
     * {@link Validation#IDLE} only. Default: 500 milliseconds.
     */
    public void setValidationIdle(String value) {
        config().validationIdle = DurationText.parse("validationIdle", value);
    }

    public String getValidationIdle() {
        return DurationText.format(config.validationIdle);
    }

    /** Sets how long a validation may take. Default: 5 seconds. */
    public void setValidationTimeout(String value) {
        Duration duration = DurationText.parse("validationTimeout", value);
        change(c -> c.validationTimeout = duration);
    }

    public String getValidationTimeout() {
        return DurationText.format(config.validationTimeout);
    }

    /** Sets the query that validates a connection. Default: the {@code isValid} method of the driver. */
    public void setValidationQuery(@Nullable String value) {
        config().validationQuery = value;
    }

    public @Nullable String getValidationQuery() {
        return config.validationQuery;
    }

    /** Sets what a checkout does when no connection is ready. Default: {@link Exhaustion#WAIT}. */
    public void setExhaustion(Exhaustion value) {
        config().exhaustion = value;
    }

    public Exhaustion getExhaustion() {
        return config.exhaustion;
    }

    /**
     * Sets whether a wrong configuration fails at once: the server refuses the login, or the host or the database is
     * unknown. Then the start fails, and so does every checkout until the first connection is open. Default: true. If
     * false, the data source keeps trying, and checkouts wait until their deadline.
     */
    public void setFailFast(boolean value) {
        config().failFast = value;
    }

    public boolean isFailFast() {
        return config.failFast;
    }

    /** Sets how fast to open connections that no caller needs yet. Default: {@link RefillPacing#SMOOTH}. */
    public void setRefillPacing(RefillPacing value) {
        config().refillPacing = value;
    }

    public RefillPacing getRefillPacing() {
        return config.refillPacing;
    }

    /** Sets how a call notices that the server it waits for is dead. Default: {@link DeadPeerDetection#FULL}. */
    public void setDeadPeerDetection(DeadPeerDetection value) {
        config().deadPeerDetection = value;
    }

    public DeadPeerDetection getDeadPeerDetection() {
        return config.deadPeerDetection;
    }

    /**
     * Sets how many temporary connections may exist at once. Applies to {@link Exhaustion#OVERFLOW} only. Default: 10.
     */
    public void setOverflowMax(int value) {
        config().overflowMax = value;
    }

    public int getOverflowMax() {
        return config.overflowMax;
    }

    /** Sets how many checkouts may wait at once. Default: 100,000. */
    public void setWaitersMax(int value) {
        config().waitersMax = value;
    }

    public int getWaitersMax() {
        return config.waitersMax;
    }

    /**
     * Sets how long the oldest waiter must have waited before newcomers may no longer overtake it. Default: 1
     * millisecond.
     */
    public void setOvertakingWindow(String value) {
        config().overtakingWindow = DurationText.parse("overtakingWindow", value);
    }

    public String getOvertakingWindow() {
        return DurationText.format(config.overtakingWindow);
    }

    /**
     * Sets how many connections beyond {@code maxOpen} may exist while successors take over. Default: -1, which means a
     * tenth of {@code maxOpen} and at least 1.
     */
    public void setSuccessorAllowance(int value) {
        config().successorAllowance = value;
    }

    public int getSuccessorAllowance() {
        return config.successorAllowance;
    }

    /** Sets how many connects may run or wait for their permit at once. Default: 100. */
    public void setOpensInFlightMax(int value) {
        config().opensInFlightMax = value;
    }

    public int getOpensInFlightMax() {
        return config.opensInFlightMax;
    }

    /** Sets how many connections this data source may open per second. Default: no limit; from the environment, 10. */
    public void setConnectionRateLimit(double value) {
        config().connectionRateLimit = value;
    }

    public double getConnectionRateLimit() {
        return config.connectionRateLimit == null ? Double.POSITIVE_INFINITY : config.connectionRateLimit;
    }

    /**
     * Sets how many connections may be opened at once after a quiet period. Allowed only with a rate limit. Default: 1;
     * from the environment, 100.
     */
    public void setConnectionBurstLimit(int value) {
        config().connectionBurstLimit = value;
    }

    public int getConnectionBurstLimit() {
        return config.connectionBurstLimit == null ? 1 : config.connectionBurstLimit;
    }

    /**
     * Sets whether the first connect waits for a random time, so that many processes do not connect at the same moment.
     * Default: false; from the environment, true.
     */
    public void setStaggeredStartup(boolean value) {
        config().staggeredStartup = value;
    }

    public boolean isStaggeredStartup() {
        return config.staggeredStartup;
    }

    /** Sets the maximum random wait before the first connect. Default: 5 seconds. */
    public void setStaggeredStartupMaxDelay(String value) {
        config().staggeredStartupMaxDelay = DurationText.parse("staggeredStartupMaxDelay", value);
    }

    public String getStaggeredStartupMaxDelay() {
        return DurationText.format(config.staggeredStartupMaxDelay);
    }

    /**
     * Sets how long the start waits for {@code lowWatermark} connections before it logs a warning and continues.
     * Default: 30 seconds. With 0, it does not wait.
     */
    public void setInitialFillTimeout(String value) {
        config().initialFillTimeout = DurationText.parse("initialFillTimeout", value);
    }

    public String getInitialFillTimeout() {
        return DurationText.format(config.initialFillTimeout);
    }

    /** Sets how long a {@code jdbc:reservoir:} connect waits when no connection is ready. Default: 100 milliseconds. */
    public void setEmptyWait(String value) {
        config().emptyWait = DurationText.parse("emptyWait", value);
    }

    public String getEmptyWait() {
        return DurationText.format(config.emptyWait);
    }

    /** Sets how long {@code close} waits for connections in use. Default: 10 seconds. */
    public void setDrainTimeout(String value) {
        config().drainTimeout = DurationText.parse("drainTimeout", value);
    }

    public String getDrainTimeout() {
        return DurationText.format(config.drainTimeout);
    }

    /** Sets whether each checkout records its stack for the leak report, which costs time. Default: false. */
    public void setTracksCheckouts(boolean value) {
        config().tracksCheckouts = value;
    }

    public boolean isTracksCheckouts() {
        return config.tracksCheckouts;
    }

    /**
     * Sets the time in use after which a connection is reported. The report is one warning with the stack of the
     * checkout. If the connection is released later, one line at info level says so. Each checkout then records its
     * stack, which costs time. Connections that another pool got by {@code jdbc:reservoir:} are not reported. Default:
     * 0, which means never.
     */
    public void setLeakDetectionThreshold(String value) {
        config().leakDetectionThreshold = DurationText.parse("leakDetectionThreshold", value);
    }

    public String getLeakDetectionThreshold() {
        return DurationText.format(config.leakDetectionThreshold);
    }

    /**
     * Sets the time in use after which a connection is taken from its caller and closed, with a warning that holds the
     * stack of the checkout. Must be longer than any legitimate use. Each checkout then records its stack, which costs
     * time. Connections that another pool got by {@code jdbc:reservoir:} are never taken, because that pool holds them
     * for their whole lifetime. Default: 0, which means never.
     */
    public void setAbandonedTimeout(String value) {
        config().abandonedTimeout = DurationText.parse("abandonedTimeout", value);
    }

    public String getAbandonedTimeout() {
        return DurationText.format(config.abandonedTimeout);
    }

    /** Sets whether the data source registers itself in JMX. Default: true. */
    public void setJmx(boolean value) {
        config().jmx = value;
    }

    public boolean isJmx() {
        return config.jmx;
    }

    /** Sets the data source that opens physical connections, instead of a URL. */
    public void setDataSource(DataSource value) {
        config().dataSource = value;
    }

    /**
     * Sets the class name of the data source that opens physical connections, instead of a URL. The driver properties
     * are passed to its setters.
     */
    public void setDataSourceClassName(@Nullable String value) {
        config().dataSourceClassName = value;
    }

    public @Nullable String getDataSourceClassName() {
        return config.dataSourceClassName;
    }

    /** Sets the provider of the user and the secret for each connect, instead of a fixed user and password. */
    public void setCredentials(Credentials value) {
        config().credentials.set(value);
    }

    /**
     * Sets the provider of user and secret, for frameworks: a {@code Credentials}, or the name of a class that
     * implements it and has a public constructor without parameters.
     */
    public void setCredentials(@Nullable Object value) {
        config().credentials.setAny(value);
    }

    /** Returns the provider that was set, as an object or as the name of its class. */
    public @Nullable Object getCredentials() {
        return config.credentials.any();
    }

    /** Sets the source of permits to connect, instead of the rate limit of this data source. */
    public void setPermits(Permits value) {
        config().permits = value;
    }

    /**
     * Sets the source of leases. With it, no connection is held open without a lease. Default: no leases are needed.
     */
    public void setLeases(Leases value) {
        config().leases = value;
    }

    /**
     * Sets the rule that tells errors that break a connection from other errors. Default: {@link ErrorRule#standard}.
     */
    public void setErrorRule(ErrorRule value) {
        config().errorRule.set(value);
    }

    /**
     * Sets the error rule, for frameworks: an {@code ErrorRule}, or the name of a class that implements it and has a
     * public constructor without parameters.
     */
    public void setErrorRule(@Nullable Object value) {
        config().errorRule.setAny(value);
    }

    /** Returns the error rule that was set, as an object or as the name of its class. */
    public @Nullable Object getErrorRule() {
        return config.errorRule.any();
    }

    /**
     * Sets the factory for all threads of the data source. The data source names the threads and makes them daemons.
     * Default: plain threads.
     */
    public void setThreadFactory(ThreadFactory value) {
        config().threadFactory.set(value);
    }

    /**
     * Sets the thread factory, for frameworks: a {@code ThreadFactory}, or the name of a class that implements it and
     * has a public constructor without parameters.
     */
    public void setThreadFactory(@Nullable Object value) {
        config().threadFactory.setAny(value);
    }

    /** Returns the thread factory that was set, as an object or as the name of its class. */
    public @Nullable Object getThreadFactory() {
        return config.threadFactory.any();
    }

    /**
     * Adds a listener for every event. The connection object that it receives only identifies a connection; the
     * listener cannot use it.
     */
    public void addListener(Listener<Object> value) {
        config().listeners.add(value);
    }

    /**
     * Sets further listeners by the names of classes with a public constructor without parameters, separated by commas.
     * Replaces the listeners that were named before.
     */
    public void setListener(@Nullable String classNames) {
        config().listenerClassNames = classNames;
    }

    /** Returns the class names of the listeners that were set by name. */
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
