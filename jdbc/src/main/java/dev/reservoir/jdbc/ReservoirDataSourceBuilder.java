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
 * Collects the settings of a {@link ReservoirDataSource}. Only {@code url}, {@code dataSource} or
 * {@code dataSourceClassName} is required. No method blocks except {@link #build}. Never opens a connection before
 * {@link #build}.
 *
 * <p>{@link #build} rejects a setting that is not allowed. The message names the setting, the value and the allowed
 * values.
 */
public final class ReservoirDataSourceBuilder {
    private final Config config = new Config();
    private boolean built;

    ReservoirDataSourceBuilder() {}

    /**
     * Sets the name used in messages, logs, threads, JMX and {@code jdbc:reservoir:} URLs. If a running data source of
     * this process already has the name, this one gets a number as well, such as {@code orders-2}, and logs a warning.
     * Default: {@code unnamed-1} and so on.
     */
    public ReservoirDataSourceBuilder name(String value) {
        config.name = value;
        return this;
    }

    /** Sets the JDBC URL of the database. */
    public ReservoirDataSourceBuilder url(String value) {
        config.url = value;
        return this;
    }

    /**
     * Sets the class name of the driver, for drivers that do not register themselves. Default: the registered driver
     * that accepts the URL.
     */
    public ReservoirDataSourceBuilder driverClassName(String value) {
        config.driverClassName = value;
        return this;
    }

    /** Sets the user to log in as. Default: the user that the URL or the data source specifies. */
    public ReservoirDataSourceBuilder username(String value) {
        config.username(value);
        return this;
    }

    /** Sets the password. It is never shown in a log, a message or a getter. */
    public ReservoirDataSourceBuilder password(String value) {
        config.password(value);
        return this;
    }

    /**
     * Sets whether callers get connections in auto-commit mode. The mode is reset after each use. Default: as the
     * driver opens connections, which JDBC defines as auto-commit.
     */
    public ReservoirDataSourceBuilder autoCommit(boolean value) {
        config.autoCommit = value;
        return this;
    }

    /** Sets whether callers get read-only connections. Default: as the driver opens them. */
    public ReservoirDataSourceBuilder readOnly(boolean value) {
        config.readOnly = value;
        return this;
    }

    /**
     * Sets the transaction isolation that callers get connections with, such as {@code TRANSACTION_READ_COMMITTED},
     * {@code READ_COMMITTED} or {@code 2}. Default: the isolation of the server.
     */
    public ReservoirDataSourceBuilder transactionIsolation(String value) {
        config.transactionIsolation = IsolationLevels.parse("transactionIsolation", value);
        return this;
    }

    /** Sets the catalog that callers get connections with. Default: the catalog of the driver. */
    public ReservoirDataSourceBuilder catalog(String value) {
        config.catalog = value;
        return this;
    }

    /** Sets the schema that callers get connections with. Default: the schema of the driver. */
    public ReservoirDataSourceBuilder schema(String value) {
        config.schema = value;
        return this;
    }

    /** Sets a statement that is run once on each new connection and then committed. Default: none. */
    public ReservoirDataSourceBuilder connectionInitSql(String value) {
        config.connectionInitSql = value;
        return this;
    }

    /**
     * Sets the maximum number of connections held at once, in use or not. Default: 10, or the largest of the other
     * targets if that is greater. Can be changed while the data source runs.
     */
    public ReservoirDataSourceBuilder maxOpen(int value) {
        config.maxOpen = value;
        return this;
    }

    /**
     * Sets how many connections to keep ready, as far as {@code maxOpen} allows. Default: {@code maxOpen}. A value
     * below {@code lowWatermark} is raised to it, with a warning. Can be changed while the data source runs.
     */
    public ReservoirDataSourceBuilder targetReady(int value) {
        config.targetReady = value;
        return this;
    }

    /**
     * Sets the number of ready and in-use connections below which refilling takes priority. The initial fill waits for
     * this number too. Default: {@code targetReady}. Can be changed while the data source runs.
     */
    public ReservoirDataSourceBuilder lowWatermark(int value) {
        config.lowWatermark = value;
        return this;
    }

    /**
     * Sets how many connections the idle timeout leaves open. Default: 0. Can be changed while the data source runs.
     */
    public ReservoirDataSourceBuilder minOpen(int value) {
        config.minOpen = value;
        return this;
    }

    /**
     * Sets the lifetime of a connection, before jitter. Default: 11 minutes. A value of 0 or less is replaced by the
     * default, with a warning.
     */
    public ReservoirDataSourceBuilder baseLifetime(Duration value) {
        config.baseLifetime = value;
        return this;
    }

    /**
     * Sets the jitter. Lifetimes are spread evenly over the base lifetime plus or minus half of it. Default: 2 minutes.
     * A negative value counts as 0, with a warning.
     */
    public ReservoirDataSourceBuilder lifetimeJitter(Duration value) {
        config.lifetimeJitter = value;
        return this;
    }

    /**
     * Sets the last part of a lifetime, in which a connection is not handed out any more. Default: 45 seconds. A
     * negative value counts as 0, with a warning.
     */
    public ReservoirDataSourceBuilder guardWindow(Duration value) {
        config.guardWindow = value;
        return this;
    }

    /** Sets how long a checkout may wait for a connection. Default: 30 seconds. With 0, a checkout never waits. */
    public ReservoirDataSourceBuilder acquireTimeout(Duration value) {
        config.acquireTimeout = value;
        return this;
    }

    /**
     * Sets the time after which a connect is abandoned. Default: 10 seconds. The drivers of PostgreSQL, MySQL, MariaDB
     * and SQL Server get the same timeout, unless their own timeout properties are set.
     */
    public ReservoirDataSourceBuilder connectTimeout(Duration value) {
        config.connectTimeout = value;
        return this;
    }

    /**
     * Sets how long a connection beyond {@code targetReady} and {@code minOpen} may stay unused. Default: 0, which
     * means without limit.
     */
    public ReservoirDataSourceBuilder idleTimeout(Duration value) {
        config.idleTimeout = value;
        return this;
    }

    /**
     * Sets how long a ready connection may go without validation before it is validated in the background. Default: 2
     * minutes. 0 turns this validation off.
     */
    public ReservoirDataSourceBuilder keepalive(Duration value) {
        config.keepalive = value;
        return this;
    }

    /**
     * Sets whether connections are validated at checkout as well. Default: {@link Validation#IDLE}, which validates
     * after {@code validationIdle}.
     */
    public ReservoirDataSourceBuilder validation(Validation value) {
        config.validation = value;
        return this;
    }

    /**
     * Sets how long a connection may have been idle and still be handed out without validation. Applies to
     * {@link Validation#IDLE} only. Default: 500 milliseconds.
     */
    public ReservoirDataSourceBuilder validationIdle(Duration value) {
        config.validationIdle = value;
        return this;
    }

    /** Sets how long a validation may take. Default: 5 seconds. */
    public ReservoirDataSourceBuilder validationTimeout(Duration value) {
        config.validationTimeout = value;
        return this;
    }

    /** Sets the query that validates a connection. Default: the {@code isValid} method of the driver. */
    public ReservoirDataSourceBuilder validationQuery(String value) {
        config.validationQuery = value;
        return this;
    }

    /** Sets what a checkout does when no connection is ready. Default: {@link Exhaustion#WAIT}. */
    public ReservoirDataSourceBuilder exhaustion(Exhaustion value) {
        config.exhaustion = value;
        return this;
    }

    /**
     * Sets whether a wrong configuration fails at once: the server refuses the login, or the host or the database is
     * unknown. Then the start fails, and so does every checkout until the first connection is open. Default: true. If
     * false, the data source keeps trying, and checkouts wait until their deadline.
     */
    public ReservoirDataSourceBuilder failFast(boolean value) {
        config.failFast = value;
        return this;
    }

    /** Sets how fast to open connections that no caller needs yet. Default: {@link RefillPacing#SMOOTH}. */
    public ReservoirDataSourceBuilder refillPacing(RefillPacing value) {
        config.refillPacing = value;
        return this;
    }

    /** Sets how a call notices that the server it waits for is dead. Default: {@link DeadPeerDetection#FULL}. */
    public ReservoirDataSourceBuilder deadPeerDetection(DeadPeerDetection value) {
        config.deadPeerDetection = value;
        return this;
    }

    /**
     * Sets how many temporary connections may exist at once. Applies to {@link Exhaustion#OVERFLOW} only. Default: 10.
     */
    public ReservoirDataSourceBuilder overflowMax(int value) {
        config.overflowMax = value;
        return this;
    }

    /** Sets how many checkouts may wait at once. Default: 100,000. */
    public ReservoirDataSourceBuilder waitersMax(int value) {
        config.waitersMax = value;
        return this;
    }

    /**
     * Sets how long the oldest waiter must have waited before newcomers may no longer overtake it. Default: 1
     * millisecond.
     */
    public ReservoirDataSourceBuilder overtakingWindow(Duration value) {
        config.overtakingWindow = value;
        return this;
    }

    /**
     * Sets how many connections beyond {@code maxOpen} may exist while successors take over. Default: -1, which means a
     * tenth of {@code maxOpen} and at least 1.
     */
    public ReservoirDataSourceBuilder successorAllowance(int value) {
        config.successorAllowance = value;
        return this;
    }

    /** Sets how many connects may run or wait for their permit at once. Default: 100. */
    public ReservoirDataSourceBuilder opensInFlightMax(int value) {
        config.opensInFlightMax = value;
        return this;
    }

    /** Sets how many connections this data source may open per second. Default: no limit; from the environment, 10. */
    public ReservoirDataSourceBuilder connectionRateLimit(double value) {
        config.connectionRateLimit = value;
        return this;
    }

    /**
     * Sets how many connections may be opened at once after a quiet period. Allowed only with a rate limit. Default: 1;
     * from the environment, 100.
     */
    public ReservoirDataSourceBuilder connectionBurstLimit(int value) {
        config.connectionBurstLimit = value;
        return this;
    }

    /**
     * Sets whether the first connect waits for a random time, so that many processes do not connect at the same moment.
     * Default: false; from the environment, true.
     */
    public ReservoirDataSourceBuilder staggeredStartup(boolean value) {
        config.staggeredStartup = value;
        return this;
    }

    /** Sets the maximum random wait before the first connect. Default: 5 seconds. */
    public ReservoirDataSourceBuilder staggeredStartupMaxDelay(Duration value) {
        config.staggeredStartupMaxDelay = value;
        return this;
    }

    /**
     * Sets how long the start waits for {@code lowWatermark} connections before it logs a warning and continues.
     * Default: 30 seconds. With 0, it does not wait.
     */
    public ReservoirDataSourceBuilder initialFillTimeout(Duration value) {
        config.initialFillTimeout = value;
        return this;
    }

    /** Sets how long a {@code jdbc:reservoir:} connect waits when no connection is ready. Default: 100 milliseconds. */
    public ReservoirDataSourceBuilder emptyWait(Duration value) {
        config.emptyWait = value;
        return this;
    }

    /** Sets how long {@code close} waits for connections in use. Default: 10 seconds. */
    public ReservoirDataSourceBuilder drainTimeout(Duration value) {
        config.drainTimeout = value;
        return this;
    }

    /** Sets whether each checkout records its stack for the leak report, which costs time. Default: false. */
    public ReservoirDataSourceBuilder tracksCheckouts(boolean value) {
        config.tracksCheckouts = value;
        return this;
    }

    /**
     * Sets the time in use after which a connection is reported. The report is one warning with the stack of the
     * checkout. If the connection is released later, one line at info level says so. Each checkout then records its
     * stack, which costs time. Connections that another pool got by {@code jdbc:reservoir:} are not reported. Default:
     * 0, which means never.
     */
    public ReservoirDataSourceBuilder leakDetectionThreshold(Duration value) {
        config.leakDetectionThreshold = value;
        return this;
    }

    /**
     * Sets the time in use after which a connection is taken from its caller and closed, with a warning that holds the
     * stack of the checkout. Must be longer than any legitimate use. Each checkout then records its stack, which costs
     * time. Connections that another pool got by {@code jdbc:reservoir:} are never taken, because that pool holds them
     * for their whole lifetime. Default: 0, which means never.
     */
    public ReservoirDataSourceBuilder abandonedTimeout(Duration value) {
        config.abandonedTimeout = value;
        return this;
    }

    /** Sets whether the data source registers itself in JMX. Default: true. */
    public ReservoirDataSourceBuilder jmx(boolean value) {
        config.jmx = value;
        return this;
    }

    /** Sets the data source that opens physical connections, instead of a URL. */
    public ReservoirDataSourceBuilder dataSource(DataSource value) {
        config.dataSource = value;
        return this;
    }

    /** Sets the provider of the user and the secret for each connect, instead of a fixed user and password. */
    public ReservoirDataSourceBuilder credentials(Credentials value) {
        config.credentials.set(value);
        return this;
    }

    /** Sets the provider of user and secret by the name of a class with a public constructor without parameters. */
    public ReservoirDataSourceBuilder credentials(String className) {
        config.credentials.setClassName(className);
        return this;
    }

    /**
     * Sets the class name of the data source that opens physical connections, instead of a URL. The driver properties
     * are passed to its setters.
     */
    public ReservoirDataSourceBuilder dataSourceClassName(String value) {
        config.dataSourceClassName = value;
        return this;
    }

    /** Adds one property for the driver. */
    public ReservoirDataSourceBuilder driverProperty(String key, String value) {
        config.driverProperties.setProperty(key, value);
        return this;
    }

    /** Adds properties for the driver to those given before. */
    public ReservoirDataSourceBuilder driverProperties(Properties values) {
        values.stringPropertyNames().forEach(key -> driverProperty(key, values.getProperty(key)));
        return this;
    }

    /** Sets the source of permits to connect, instead of the rate limit of this data source. */
    public ReservoirDataSourceBuilder permits(Permits value) {
        config.permits = value;
        return this;
    }

    /**
     * Sets the source of leases. With it, no connection is held open without a lease. Default: no leases are needed.
     */
    public ReservoirDataSourceBuilder leases(Leases value) {
        config.leases = value;
        return this;
    }

    /**
     * Sets the rule that tells errors that break a connection from other errors. Default: {@link ErrorRule#standard}.
     */
    public ReservoirDataSourceBuilder errorRule(ErrorRule value) {
        config.errorRule.set(value);
        return this;
    }

    /** Sets the error rule by the name of a class with a public constructor without parameters. */
    public ReservoirDataSourceBuilder errorRule(String className) {
        config.errorRule.setClassName(className);
        return this;
    }

    /**
     * Sets the factory for all threads of the data source. The data source names the threads and makes them daemons.
     * Default: plain threads.
     */
    public ReservoirDataSourceBuilder threadFactory(ThreadFactory value) {
        config.threadFactory.set(value);
        return this;
    }

    /** Sets the thread factory by the name of a class with a public constructor without parameters. */
    public ReservoirDataSourceBuilder threadFactory(String className) {
        config.threadFactory.setClassName(className);
        return this;
    }

    /**
     * Sets the age at which the server closes a connection, even one in use. Every lifetime must end before that age.
     * The last checkout must start early enough for the longest transaction. A connection that was in use for too long
     * can still break at that age. Its error then carries an explanation among its suppressed exceptions, and the log
     * has one too. Default: the server has no such limit.
     *
     * @param age how old a connection may get
     * @param transaction how long a transaction may last
     */
    public ReservoirDataSourceBuilder serverAgeLimit(Duration age, Duration transaction) {
        config.serverAgeLimit = new ServerAgeLimit(age, transaction);
        return this;
    }

    /**
     * Sets the only transaction isolation that the server supports, for servers that refuse even a request to set that
     * one. A caller that sets this isolation sends nothing to the server. A request for another isolation goes to the
     * server, which decides. Default: the server supports several.
     *
     * @param level such as {@code TRANSACTION_REPEATABLE_READ}, {@code REPEATABLE_READ} or a number of
     *     {@link java.sql.Connection}
     */
    public ReservoirDataSourceBuilder onlyTransactionIsolation(String level) {
        config.onlyTransactionIsolation = IsolationLevels.parse("onlyTransactionIsolation", level);
        return this;
    }

    /**
     * Adds a listener for every event. The connection object that it receives only identifies a connection; the
     * listener cannot use it.
     */
    public ReservoirDataSourceBuilder listener(Listener<Object> value) {
        config.listeners.add(value);
        return this;
    }

    /**
     * Sets further listeners by the names of classes with a public constructor without parameters, separated by commas.
     * Replaces the listeners that were named before.
     */
    public ReservoirDataSourceBuilder listener(String classNames) {
        config.listenerClassNames = classNames;
        return this;
    }

    /**
     * Applies settings by their keys, as {@link ReservoirDataSource#fromProperties} does. Later settings replace
     * earlier ones.
     */
    public ReservoirDataSourceBuilder properties(Properties values) {
        values.stringPropertyNames().forEach(key -> SettingKeys.set(config, key, values.getProperty(key)));
        values.forEach((key, value) -> {
            if (!(value instanceof String)) {
                SettingKeys.set(config, String.valueOf(key), String.valueOf(value));
            }
        });
        return this;
    }

    /** Applies the settings of environment variables, as {@link ReservoirDataSource#fromEnvironment(Map)} does. */
    public ReservoirDataSourceBuilder environment(Map<String, String> variables) {
        Environment.apply(variables, config);
        return this;
    }

    /**
     * Returns whether the environment asked for a reservoir, which means that {@code DSQL_RESERVOIR_ENABLED} is true.
     * Any value that is not clearly true counts as false. Then {@link #build} keeps no connections ready, and a program
     * can use something else instead.
     */
    public boolean isReservoirMode() {
        return config.reservoirMode;
    }

    /**
     * Starts the data source. Blocks until {@code lowWatermark} connections are ready, for {@code initialFillTimeout}
     * at most. After that it logs a warning and returns, and the fill continues in the background.
     *
     * @throws IllegalArgumentException if a setting is not allowed
     * @throws IllegalStateException if this builder has been used; also, unless {@code failFast} is false, if the
     *     server refuses the first login, or if the host or the database is unknown: then the cause is the exception of
     *     the driver
     */
    public ReservoirDataSource build() {
        if (built) {
            throw new IllegalStateException("this builder has built its data source; take another for the next");
        }
        built = true;
        return ReservoirDataSource.started(config);
    }
}
