package dev.reservoir.jdbc.config;

import static dev.reservoir.jdbc.config.Setting.YEAR;

import dev.reservoir.core.Exhaustion;
import dev.reservoir.core.RefillPacing;
import dev.reservoir.core.Settings;
import dev.reservoir.core.Targets;
import dev.reservoir.core.spi.Credentials;
import dev.reservoir.core.spi.Leases;
import dev.reservoir.core.spi.Listener;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.jdbc.ConnectErrorRule;
import dev.reservoir.jdbc.ConnectionReset;
import dev.reservoir.jdbc.DeadPeerDetection;
import dev.reservoir.jdbc.ErrorRule;
import dev.reservoir.jdbc.Validation;
import dev.reservoir.jdbc.config.Setting.Definition;
import dev.reservoir.jdbc.config.Setting.Section;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadFactory;
import javax.sql.DataSource;

/**
 * Every setting of a data source: the one place that declares its key, type, default, allowed values and documentation,
 * and whether it can change while the data source runs. Builder, bean, properties, environment, JNDI, JMX, checks and
 * the tables of {@code docs/configuration.md} follow from it. Never holds a value.
 *
 * <p>Methods and documentation are generated. After a change, run {@code GeneratedSettingsTest} with
 * {@code -Dregenerate}.
 */
public final class DataSourceSettings {
    /** Begins the key of a property for the driver. */
    public static final String DRIVER_PREFIX = "driver.";

    private static final Settings ENGINE = Settings.defaults();
    private static final Duration NANO = Duration.ofNanos(1);
    private static final Duration MILLI = Duration.ofMillis(1);

    /** In the order of the documentation. */
    private static final List<Setting<?>> ALL = new ArrayList<>();

    // Where to connect.

    public static final Setting<String> NAME = add(text(Section.SOURCE, "name")
            .allowed(
                    name -> name.matches("[A-Za-z0-9._-]{1,100}"),
                    "1 to 100 letters, digits, dots, dashes and underscores")
            .otherwise("`unnamed-1`, `unnamed-2`, ...")
            .doc("the name in messages, logs, threads, JMX and `jdbc:reservoir:<name>`. A second one of"
                    + " [the same name](#two-of-one-name) gets a number behind its name, such as `orders-2`"));

    public static final Setting<String> URL = add(Setting.define(Section.SOURCE, "url", SettingType.URL)
            .allowed("a JDBC URL; not together with `dataSource` or `dataSourceClassName`")
            .hidden()
            .doc("the JDBC URL of the database"));

    public static final Setting<String> DRIVER_CLASS_NAME = add(text(Section.SOURCE, "driverClassName")
            .allowed("a `java.sql.Driver` that accepts the URL; only together with `url`")
            .otherwise("the registered driver that accepts the URL")
            .doc("the class name of the driver, for drivers that do not register themselves"));

    public static final Setting<String> USERNAME = add(text(Section.SOURCE, "username")
            .otherwise("what the URL or the `dataSource` says")
            .live()
            .doc("the user that logs in"));

    public static final Setting<String> PASSWORD = add(Setting.define(Section.SOURCE, "password", SettingType.SECRET)
            .otherwise("what the URL or the `dataSource` says")
            .hidden()
            .live()
            .doc("the password. It appears in no log, message or getter"));

    public static final Setting<Map<String, String>> DRIVER_PROPERTIES =
            add(Setting.<Map<String, String>>define(Section.SOURCE, "driver.<key>", SettingType.byHand(Map.class))
                    .allowed("any; not together with `dataSource`")
                    .hidden()
                    .doc("a property for the driver, or with `dataSourceClassName` a property that its setter takes:"
                            + " text, a number, true or false. On the builder `driverProperty` and `driverProperties`,"
                            + " on the bean `driverProperties`"));

    public static final Setting<DataSource> DATA_SOURCE = add(object(Section.SOURCE, "dataSource", DataSource.class)
            .allowed("a `javax.sql.DataSource`; in code only")
            .doc("the data source that opens the physical connections, instead of a URL"));

    public static final Setting<String> DATA_SOURCE_CLASS_NAME = add(text(Section.SOURCE, "dataSourceClassName")
            .allowed("the class name of a `javax.sql.DataSource`")
            .doc("the class name of the data source that opens the physical connections, instead of a URL. The"
                    + " properties for the driver set its properties, and an unknown one is refused"));

    public static final Setting<Object> CREDENTIALS =
            add(objectOrClassName(Section.SOURCE, "credentials", Credentials.class)
                    .otherwise("`username`, `password`")
                    .doc("the provider of the secret for each connect, and of the user unless it leaves that to"
                            + " `username`"));

    // How connections are handed out.

    public static final Setting<Boolean> AUTO_COMMIT = add(flag(Section.SESSION, "autoCommit")
            .otherwise("the driver's: true")
            .doc("whether each statement is a transaction of its own. With false, a transaction left open at `close()`"
                    + " is rolled back"));

    public static final Setting<Boolean> READ_ONLY = add(flag(Section.SESSION, "readOnly")
            .otherwise("the driver's: false")
            .doc("whether driver and server are told that nothing is written"));

    public static final Setting<Integer> TRANSACTION_ISOLATION =
            add(Setting.define(Section.SESSION, "transactionIsolation", SettingType.ISOLATION)
                    .allowed("`READ_UNCOMMITTED`, `READ_COMMITTED`, `REPEATABLE_READ`, `SERIALIZABLE`, with or without"
                            + " `TRANSACTION_` before it, or the driver's number for it, 1 or more")
                    .otherwise("the server's")
                    .doc("the isolation of transactions"));

    public static final Setting<String> CATALOG = add(text(Section.SESSION, "catalog")
            .otherwise("the driver's")
            .doc("the catalog, where the database has several"));

    public static final Setting<String> SCHEMA = add(
            text(Section.SESSION, "schema").otherwise("the driver's").doc("the schema in which names are looked up"));

    public static final Setting<String> CONNECTION_INIT_SQL = add(text(Section.SESSION, "connectionInitSql")
            .allowed("a statement")
            .otherwise("none")
            .hidden()
            .doc("a statement that is run once on each new connection, after the other preparations, and committed if"
                    + " auto-commit is off. It does not appear in messages"));

    public static final Setting<Integer> ONLY_TRANSACTION_ISOLATION =
            add(Setting.<Integer>define(Section.SESSION, "onlyTransactionIsolation", SettingType.byHand(Integer.class))
                    .allowed("as `transactionIsolation`; in code only")
                    .otherwise("none: the server has several")
                    .doc("the only isolation that the server has, for servers that refuse even a request to set it."
                            + " Such a request is not sent"));

    // How many connections.

    public static final Setting<Integer> MAX_OPEN = add(whole(Section.COUNT, "maxOpen")
            .range(1, Targets.MAX_OPEN_LIMIT)
            .byDefault(Config::maxOpenDefault, "10, or the largest of the three below if that is more")
            .live()
            .doc("the most connections held at once, in use or not"));

    public static final Setting<Integer> TARGET_READY = add(whole(Section.COUNT, "targetReady")
            .allowed("0 to `maxOpen`")
            .byDefault(config -> config.get(MAX_OPEN), "`maxOpen`")
            .live()
            .doc("how many connections are ready beside those in use, as far as `maxOpen` goes. A value below"
                    + " `lowWatermark` is raised to it, with a warning"));

    public static final Setting<Integer> LOW_WATERMARK = add(whole(Section.COUNT, "lowWatermark")
            .allowed("0 to `targetReady`")
            .byDefault(config -> config.get(TARGET_READY), "`targetReady`")
            .live()
            .doc("the number of connections, ready or in use, below which requests for permits are urgent. The start"
                    + " waits for this many"));

    public static final Setting<Integer> MIN_OPEN = add(whole(Section.COUNT, "minOpen")
            .allowed("0 to `maxOpen`")
            .byDefault(0)
            .live()
            .doc("how many connections are opened and kept, however many are in use. `idleTimeout` does not apply to"
                    + " them"));

    public static final Setting<Duration> IDLE_TIMEOUT = add(duration(Section.COUNT, "idleTimeout")
            .byDefault(nanos(ENGINE.idleTimeoutNanos()), "0: off")
            .live()
            .doc("how long a connection beyond `targetReady` and `minOpen` may be unused"));

    public static final Setting<Integer> SUCCESSOR_ALLOWANCE = add(whole(Section.COUNT, "successorAllowance")
            .range(-1, Targets.MAX_OPEN_LIMIT)
            .byDefault(ENGINE.successorAllowance(), "-1: a tenth of `maxOpen`, at least 1")
            .doc("how many connections beyond `maxOpen` may exist while successors take over from those that expire."
                    + " With 0 a predecessor retires first"));

    // How long a connection lives.

    public static final Setting<Duration> BASE_LIFETIME = add(duration(Section.LIFETIME, "baseLifetime")
            .allowed(value -> true, "1ms to 365 days")
            .byDefault(nanos(ENGINE.baseLifetimeNanos()))
            .live()
            .doc("the lifetime of a connection, before jitter. A value of 0 or less is replaced by the default, with a"
                    + " warning"));

    public static final Setting<Duration> LIFETIME_JITTER = add(duration(Section.LIFETIME, "lifetimeJitter")
            .allowed(value -> true, "0 to `baseLifetime`")
            .byDefault(nanos(ENGINE.lifetimeJitterNanos()))
            .live()
            .doc("the jitter. Each lifetime is drawn at birth, evenly, from the base plus or minus half of it. A"
                    + " negative value counts as 0, with a warning"));

    public static final Setting<Duration> GUARD_WINDOW = add(duration(Section.LIFETIME, "guardWindow")
            .allowed(value -> true, "0 to less than `baseLifetime` minus half of `lifetimeJitter`")
            .byDefault(nanos(ENGINE.guardWindowNanos()))
            .live()
            .doc("the last part of a lifetime, in which a connection is not handed out any more. A negative value"
                    + " counts as 0, with a warning"));

    // Opening connections.

    public static final Setting<Double> CONNECTION_RATE_LIMIT =
            add(Setting.define(Section.OPENING, "connectionRateLimit", SettingType.NUMBER)
                    .allowed(rate -> rate > 0, "more than 0")
                    .byDefault(Double.POSITIVE_INFINITY, "none")
                    .environmentDefault("10")
                    .doc("how many connections this reservoir opens in a second"));

    public static final Setting<Integer> CONNECTION_BURST_LIMIT = add(whole(Section.OPENING, "connectionBurstLimit")
            .range(1, Integer.MAX_VALUE)
            .allowed("1 or more, only with a rate limit")
            .byDefault(1)
            .environmentDefault("100")
            .doc("how many connections may be opened at once after a quiet time"));

    public static final Setting<Integer> OPENS_IN_FLIGHT_MAX = add(whole(Section.OPENING, "opensInFlightMax")
            .range(1, 1_000_000)
            .byDefault(ENGINE.opensInFlightMax())
            .doc("how many connects run, or wait for their permit, at once"));

    public static final Setting<Duration> CONNECT_TIMEOUT = add(duration(Section.OPENING, "connectTimeout")
            .range(NANO, YEAR)
            .allowed("more than 0, to 365 days")
            .byDefault(nanos(ENGINE.connectTimeoutNanos()))
            .live()
            .doc("how long a connect may take before it is given up. [Known drivers](limits.md#connects-that-hang) are"
                    + " told not to wait longer, unless their own timeouts are set"));

    public static final Setting<RefillPacing> REFILL_PACING = add(choice(
                    Section.OPENING, "refillPacing", RefillPacing.class)
            .byDefault(ENGINE.refillPacing())
            .doc("how fast connections are opened that nobody needs yet: [spread over time](#refill-pacing), or as fast"
                    + " as permits allow"));

    public static final Setting<Boolean> STAGGERED_STARTUP = add(flag(Section.OPENING, "staggeredStartup")
            .byDefault(false)
            .environmentDefault("true")
            .doc("whether the first connect waits for a random time, so that processes that start together do not"
                    + " connect together"));

    public static final Setting<Duration> STAGGERED_STARTUP_MAX_DELAY =
            add(duration(Section.OPENING, "staggeredStartupMaxDelay")
                    .byDefault(Duration.ofSeconds(5))
                    .doc("the longest random wait before the first connect"));

    public static final Setting<Duration> INITIAL_FILL_TIMEOUT = add(duration(Section.OPENING, "initialFillTimeout")
            .byDefault(Duration.ofSeconds(30))
            .doc("how long the start waits for `lowWatermark` connections before it warns and goes on. With 0 it does"
                    + " not wait"));

    public static final Setting<Permits> PERMITS = add(object(Section.OPENING, "permits", Permits.class)
            .otherwise("this reservoir's own rate limit")
            .doc("the source of permits to connect, instead of `connectionRateLimit`"));

    public static final Setting<Leases> LEASES = add(object(Section.OPENING, "leases", Leases.class)
            .otherwise("none needed")
            .doc("the source of leases, without which no connection is held open. It rations open connections, for"
                    + " example [over many processes](sharing-a-cluster.md)"));

    public static final Setting<ConnectErrorRule> CONNECT_ERROR_RULE =
            add(object(Section.OPENING, "connectErrorRule", ConnectErrorRule.class)
                    .otherwise("none: the standard rules")
                    .doc("the rule that tells why a connect failed, for servers whose SQLState does not tell it"));

    public static final Setting<ServerAgeLimit> SERVER_AGE_LIMIT = add(Setting.<ServerAgeLimit>define(
                    Section.OPENING, "serverAgeLimit", SettingType.byHand(ServerAgeLimit.class))
            .allowed("two durations; in code only")
            .otherwise("none")
            .doc("the age at which the server closes connections, and how long a transaction may last. Lifetimes"
                    + " that could reach it are refused, and a log line says so if a connection in use reached"
                    + " it"));

    // Checkout and return.

    public static final Setting<Duration> ACQUIRE_TIMEOUT = add(duration(Section.CHECKOUT, "acquireTimeout")
            .byDefault(Duration.ofSeconds(30))
            .live()
            .doc("how long `getConnection` may wait. With 0 it never waits for a connection"));

    public static final Setting<Exhaustion> EXHAUSTION = add(choice(Section.CHECKOUT, "exhaustion", Exhaustion.class)
            .byDefault(ENGINE.exhaustion())
            .doc("what a checkout does when nothing is ready: queue, fail at once, or queue while a temporary"
                    + " connection beyond `maxOpen` is opened"));

    public static final Setting<Boolean> FAIL_FAST = add(flag(Section.CHECKOUT, "failFast")
            .byDefault(true)
            .doc("whether a login that the server refuses, an unknown host or an unknown database [ends the start and"
                    + " every checkout at once](#failing-at-the-start), after one connect, until the first connection"
                    + " is open. With false it keeps trying, and checkouts wait until their deadline. A database that"
                    + " is merely away is waited for in either case"));

    public static final Setting<Integer> OVERFLOW_MAX = add(whole(Section.CHECKOUT, "overflowMax")
            .range(0, Targets.MAX_OPEN_LIMIT)
            .byDefault(ENGINE.overflowMax())
            .doc("how many temporary connections may exist at once, with `exhaustion` `overflow`. Each is closed on"
                    + " return"));

    public static final Setting<Integer> WAITERS_MAX = add(whole(Section.CHECKOUT, "waitersMax")
            .range(0, Integer.MAX_VALUE)
            .byDefault(ENGINE.waitersMax())
            .doc("how many checkouts may wait at once"));

    public static final Setting<Duration> OVERTAKING_WINDOW = add(duration(Section.CHECKOUT, "overtakingWindow")
            .byDefault(nanos(ENGINE.overtakingWindowNanos()))
            .doc("how long the oldest waiter must have waited before newcomers queue behind it. A platform thread that"
                    + " was woken and has not run yet may be overtaken for up to 100 times as long"));

    public static final Setting<Duration> LEAK_DETECTION_THRESHOLD =
            add(duration(Section.CHECKOUT, "leakDetectionThreshold")
                    .byDefault(Duration.ZERO, "0: off")
                    .doc("the time in use after which a connection is reported, by one warning with the stack of its"
                            + " checkout, and one line at info if it is released later. Each checkout then records its"
                            + " stack, which costs time; see [Leaks](#leaks)"));

    public static final Setting<Duration> ABANDONED_TIMEOUT = add(duration(Section.CHECKOUT, "abandonedTimeout")
            .byDefault(Duration.ZERO, "0: off")
            .doc("the time in use after which a connection is taken from its caller and closed, with a warning that has"
                    + " the stack of its checkout. It must be longer than any legitimate use; see [Leaks](#leaks)"));

    public static final Setting<Boolean> TRACKS_CHECKOUTS = add(flag(Section.CHECKOUT, "tracksCheckouts")
            .byDefault(ENGINE.tracksCheckouts())
            .doc("whether each checkout records its stack for the leak report, which costs time"));

    public static final Setting<Object> ERROR_RULE =
            add(objectOrClassName(Section.CHECKOUT, "errorRule", ErrorRule.class)
                    .otherwise("`ErrorRule.standard()`")
                    .doc("the rule that decides which errors discard a connection"));

    public static final Setting<ConnectionReset> CONNECTION_RESET =
            add(object(Section.CHECKOUT, "connectionReset", ConnectionReset.class)
                    .otherwise("none: what JDBC can restore is restored")
                    .doc("the action that clears what JDBC cannot restore, such as temporary tables, when a connection"
                            + " that ran something is closed. If it fails, the connection is discarded"));

    public static final Setting<Duration> EMPTY_WAIT = add(duration(Section.CHECKOUT, "emptyWait")
            .byDefault(Duration.ofMillis(100))
            .doc("how long a connect through `jdbc:reservoir:<name>` waits when nothing is ready. A connection that is"
                    + " ready has at least `validationTimeout` to answer its validation"));

    public static final Setting<Duration> DRAIN_TIMEOUT = add(duration(Section.CHECKOUT, "drainTimeout")
            .byDefault(Duration.ofSeconds(10))
            .doc("how long `close` waits for connections in use"));

    // Validation.

    public static final Setting<Duration> KEEPALIVE = add(duration(Section.VALIDATION, "keepalive")
            .byDefault(nanos(ENGINE.keepaliveNanos()))
            .live()
            .doc("how long a ready connection may be neither used nor validated before it is validated in the"
                    + " background. 0 switches that off. [One connection a second](#validating-connections) is"
                    + " validated in any case"));

    public static final Setting<Validation> VALIDATION = add(choice(Section.VALIDATION, "validation", Validation.class)
            .byDefault(Validation.IDLE)
            .doc("whether a checkout [waits for a validation](#validating-connections) as well: never, always, or after"
                    + " `validationIdle`"));

    public static final Setting<Duration> VALIDATION_IDLE = add(duration(Section.VALIDATION, "validationIdle")
            .byDefault(Duration.ofMillis(500))
            .doc("how long ago the last use or validation of a connection may be if it is handed out without a"
                    + " validation, with `validation` `idle`"));

    public static final Setting<Duration> VALIDATION_TIMEOUT = add(duration(Section.VALIDATION, "validationTimeout")
            .range(MILLI, YEAR)
            .byDefault(nanos(ENGINE.validationTimeoutNanos()))
            .live()
            .doc("how long a validation may take"));

    public static final Setting<DeadPeerDetection> DEAD_PEER_DETECTION =
            add(choice(Section.VALIDATION, "deadPeerDetection", DeadPeerDetection.class)
                    .byDefault(DeadPeerDetection.FULL)
                    .doc("how calls that wait for an answer notice that their [server is dead](#dead-servers)"));

    public static final Setting<String> VALIDATION_QUERY = add(text(Section.VALIDATION, "validationQuery")
            .allowed("a statement")
            .otherwise("none: the driver's `isValid`")
            .doc("the statement that validates connections"));

    // Watching.

    public static final Setting<Boolean> JMX = add(flag(Section.WATCHING, "jmx")
            .byDefault(true)
            .doc("whether the data source registers itself in [JMX](#jmx)"));

    public static final Setting<String> LISTENER =
            add(Setting.define(Section.WATCHING, "listener", SettingType.CLASS_NAMES)
                    .allowed("a `" + Listener.class.getName()
                            + "<Object>`, any number, or class names with commas between them")
                    .doc("objects that are told every event of every connection, on [another thread](#listeners)"));

    public static final Setting<Object> THREAD_FACTORY = add(objectOrClassName(
                    Section.WATCHING, "threadFactory", ThreadFactory.class)
            .otherwise("threads that all data sources share")
            .doc("gives the data source [threads](#threads) of its own, which this factory makes. Every thread is"
                    + " renamed `reservoir-<name>...` and becomes a daemon"));

    /** How many connections to hold. */
    public static final Set<Setting<?>> TARGETS = Set.of(MAX_OPEN, TARGET_READY, LOW_WATERMARK, MIN_OPEN);

    /** The settings that can be written as text, by their keys. */
    private static final Map<String, Setting<?>> BY_KEY = new LinkedHashMap<>();

    static {
        ALL.stream().filter(Setting::isText).forEach(setting -> BY_KEY.put(setting.key(), setting));
    }

    private DataSourceSettings() {}

    /** Every setting, in the order of the documentation. */
    public static List<Setting<?>> all() {
        return Collections.unmodifiableList(ALL);
    }

    /** The settings that can be written as text, by their keys. */
    public static Map<String, Setting<?>> byKey() {
        return Collections.unmodifiableMap(BY_KEY);
    }

    private static <T> Setting<T> add(Setting<T> setting) {
        ALL.add(setting);
        return setting;
    }

    private static Duration nanos(long nanos) {
        return Duration.ofNanos(nanos);
    }

    private static Definition<String> text(Section section, String key) {
        return Setting.define(section, key, SettingType.TEXT);
    }

    private static Definition<Integer> whole(Section section, String key) {
        return Setting.define(section, key, SettingType.WHOLE);
    }

    private static Definition<Boolean> flag(Section section, String key) {
        return Setting.define(section, key, SettingType.FLAG);
    }

    /** Allows 0 to one year, unless something else is said. */
    private static Definition<Duration> duration(Section section, String key) {
        return Setting.define(section, key, SettingType.DURATION).range(Duration.ZERO, YEAR);
    }

    private static <E extends Enum<E>> Definition<E> choice(Section section, String key, Class<E> type) {
        return Setting.define(section, key, SettingType.choice(type));
    }

    private static <T> Definition<T> object(Section section, String key, Class<T> type) {
        return Setting.<T>define(section, key, SettingType.object(type))
                .allowed("a `" + type.getName() + "`; in code only");
    }

    private static Definition<Object> objectOrClassName(Section section, String key, Class<?> type) {
        return Setting.define(section, key, SettingType.objectOrClassName(type))
                .allowed("a `" + type.getName() + "`, or its class name");
    }
}
