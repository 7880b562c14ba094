package dev.reservoir.jdbc.config;

import dev.reservoir.core.Exhaustion;
import dev.reservoir.core.RefillPacing;
import dev.reservoir.core.Settings;
import dev.reservoir.core.Targets;
import dev.reservoir.core.spi.Credentials;
import dev.reservoir.core.spi.Credentials.Credential;
import dev.reservoir.core.spi.Leases;
import dev.reservoir.core.spi.Listener;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.jdbc.DeadPeerDetection;
import dev.reservoir.jdbc.ErrorRule;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.Validation;
import dev.reservoir.jdbc.session.SessionSetup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Every setting of one data source as it was given by the builder, bean setters, properties or the environment. Accepts
 * any value while it is being filled; {@link #targets}, {@link #settings} and {@link #check} check the values. Never
 * starts anything.
 */
public final class Config {
    private static final Logger log = LoggerFactory.getLogger(ReservoirDataSource.class);
    private static final Settings DEFAULTS = Settings.defaults();
    private static final Duration YEAR = Duration.ofDays(365);
    private static final Pattern ISO_DURATION = Pattern.compile("\\bPT(?:-?[0-9.]+[HMS])+");
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,100}");

    static final int MAX_OPEN_DEFAULT = 10;
    static final Duration BASE_LIFETIME_DEFAULT = nanos(DEFAULTS.baseLifetimeNanos());

    @Nullable
    public String name;

    @Nullable
    public String url;

    @Nullable
    public String driverClassName;

    @Nullable
    public DataSource dataSource;

    @Nullable
    public String dataSourceClassName;

    /** User and password, as far as they were given. One field, so that no connect sees half of a change. */
    public volatile Credential login = new Credential(null, null);

    public final UserObject<Credentials> credentials = new UserObject<>("credentials", Credentials.class);

    /** This and the next five settings prepare new connections; see {@link SessionSetup}. */
    @Nullable
    public Boolean autoCommit;

    @Nullable
    public Boolean readOnly;

    @Nullable
    public Integer transactionIsolation;

    @Nullable
    public String catalog;

    @Nullable
    public String schema;

    @Nullable
    public String connectionInitSql;

    public final Properties driverProperties = new Properties();

    @Nullable
    public Integer maxOpen;

    @Nullable
    public Integer targetReady;

    @Nullable
    public Integer lowWatermark;

    public int minOpen;
    public Duration baseLifetime = BASE_LIFETIME_DEFAULT;
    public Duration lifetimeJitter = nanos(DEFAULTS.lifetimeJitterNanos());
    public Duration guardWindow = nanos(DEFAULTS.guardWindowNanos());
    public Duration acquireTimeout = Duration.ofSeconds(30);

    /** Volatile, because threads that connect read it. */
    public volatile Duration connectTimeout = nanos(DEFAULTS.connectTimeoutNanos());

    public Duration idleTimeout = nanos(DEFAULTS.idleTimeoutNanos());
    public Duration keepalive = nanos(DEFAULTS.keepaliveNanos());
    public Validation validation = Validation.IDLE;
    public Duration validationIdle = Duration.ofMillis(500);
    public Duration validationTimeout = nanos(DEFAULTS.validationTimeoutNanos());

    @Nullable
    public String validationQuery;

    public Exhaustion exhaustion = DEFAULTS.exhaustion();
    public boolean failFast = true;
    public RefillPacing refillPacing = DEFAULTS.refillPacing();
    public DeadPeerDetection deadPeerDetection = DeadPeerDetection.FULL;
    public int overflowMax = DEFAULTS.overflowMax();
    public int waitersMax = DEFAULTS.waitersMax();
    public Duration overtakingWindow = nanos(DEFAULTS.overtakingWindowNanos());
    public int successorAllowance = DEFAULTS.successorAllowance();
    public int opensInFlightMax = DEFAULTS.opensInFlightMax();

    @Nullable
    public Double connectionRateLimit;

    @Nullable
    public Integer connectionBurstLimit;

    @Nullable
    public Permits permits;

    @Nullable
    public Leases leases;

    @Nullable
    public ServerAgeLimit serverAgeLimit;

    @Nullable
    public Integer onlyTransactionIsolation;

    /** The environment variables of a budget that this process shares with others, or null if there is none. */
    @Nullable
    public Map<String, String> budgetVariables;

    public boolean staggeredStartup;
    public Duration staggeredStartupMaxDelay = Duration.ofSeconds(5);
    public Duration initialFillTimeout = Duration.ofSeconds(30);
    public Duration emptyWait = Duration.ofMillis(100);
    public Duration drainTimeout = Duration.ofSeconds(10);
    public boolean tracksCheckouts;

    /** 0 for never. */
    public Duration leakDetectionThreshold = Duration.ZERO;

    /** 0 for never. */
    public Duration abandonedTimeout = Duration.ZERO;

    public boolean jmx = true;
    public boolean reservoirMode;
    public final UserObject<ErrorRule> errorRule = new UserObject<>("errorRule", ErrorRule.class);
    public final UserObject<ThreadFactory> threadFactory = new UserObject<>("threadFactory", ThreadFactory.class);
    public final List<Listener<Object>> listeners = new ArrayList<>();

    /** Class names of further listeners, separated by commas. */
    @Nullable
    public String listenerClassNames;

    /** The environment variable from which a setting came, by the key of the setting. */
    private final Map<String, String> origins = new HashMap<>();

    private static Duration nanos(long nanos) {
        return Duration.ofNanos(nanos);
    }

    void cameFrom(String key, String origin) {
        origins.put(key, origin);
    }

    public void username(@Nullable String value) {
        login = new Credential(value, login.secret());
    }

    public void password(@Nullable String value) {
        login = new Credential(login.user(), value);
    }

    public SessionSetup sessionSetup() {
        boolean holdsAnyway = transactionIsolation != null && transactionIsolation.equals(onlyTransactionIsolation);
        return new SessionSetup(
                autoCommit, readOnly, holdsAnyway ? null : transactionIsolation, catalog, schema, connectionInitSql);
    }

    /** Returns the objects of the user. Creates those that were given by class name. */
    public UserObjects userObjects() {
        Credentials login = credentials.make();
        ErrorRule rule = errorRule.make();
        return new UserObjects(
                login == null ? () -> CompletableFuture.completedFuture(this.login) : login,
                rule == null ? ErrorRule.standard() : rule,
                new DataSourceThreads(threadFactory.make()),
                makeListeners());
    }

    @SuppressWarnings("unchecked") // every listener accepts any connection object
    private List<Listener<Object>> makeListeners() {
        List<Listener<Object>> all = new ArrayList<>(listeners);
        if (listenerClassNames != null) {
            for (String className : listenerClassNames.split(",", -1)) {
                all.add((Listener<Object>) ClassNames.instance("listener", className, Listener.class));
            }
        }
        return all;
    }

    public int maxOpenOrDefault() {
        if (maxOpen != null) {
            return maxOpen;
        }
        int asked = Math.max(minOpen, Math.max(orZero(targetReady), orZero(lowWatermark)));
        return Math.max(MAX_OPEN_DEFAULT, asked);
    }

    public int targetReadyOrDefault() {
        return targetReady != null ? targetReady : maxOpenOrDefault();
    }

    public int lowWatermarkOrDefault() {
        return lowWatermark != null ? lowWatermark : targetReadyOrDefault();
    }

    /** The sizes as they were given. */
    Sizes sizes() {
        return new Sizes(maxOpen, targetReady, lowWatermark, minOpen);
    }

    public void setSizes(Sizes sizes) {
        maxOpen = sizes.maxOpen;
        targetReady = sizes.targetReady;
        lowWatermark = sizes.lowWatermark;
        minOpen = sizes.minOpen;
    }

    /** Returns the current values of all settings that can change while the data source runs. */
    public Live live() {
        return new Live(
                sizes(),
                login,
                acquireTimeout,
                new Times(
                        baseLifetime,
                        lifetimeJitter,
                        guardWindow,
                        connectTimeout,
                        idleTimeout,
                        keepalive,
                        validationTimeout));
    }

    /** Sets these settings back to earlier values. */
    public void restore(Live live) {
        setSizes(live.sizes);
        login = live.login;
        acquireTimeout = live.acquireTimeout;
        baseLifetime = live.times.baseLifetime;
        lifetimeJitter = live.times.lifetimeJitter;
        guardWindow = live.times.guardWindow;
        connectTimeout = live.times.connectTimeout;
        idleTimeout = live.times.idleTimeout;
        keepalive = live.times.keepalive;
        validationTimeout = live.times.validationTimeout;
    }

    /**
     * Returns how many connections to hold. Raises {@code targetReady} to {@code lowWatermark} with a warning.
     *
     * @param lines runs the tasks that log
     */
    public Targets targets(Executor lines) {
        int target = targetReadyOrDefault();
        int low = lowWatermarkOrDefault();
        if (target < low && low <= maxOpenOrDefault()) {
            warn(lines, "targetReady", target, "at least lowWatermark (" + low + ")", low);
            target = low;
        }
        int targetUsed = target;
        return judged(() -> new Targets(maxOpenOrDefault(), targetUsed, low, minOpen));
    }

    /**
     * Returns the settings of the engine. Replaces some values that are not allowed, with a warning, and rejects the
     * others.
     *
     * @param lines runs the tasks that log
     */
    public Settings settings(Executor lines) {
        Duration lifetime = baseLifetime;
        if (lifetime.isNegative() || lifetime.isZero()) {
            warn(lines, "baseLifetime", shown(lifetime), "more than 0", shown(BASE_LIFETIME_DEFAULT));
            lifetime = BASE_LIFETIME_DEFAULT;
        }
        Settings.Builder builder = Settings.builder()
                .baseLifetime(lifetime)
                .lifetimeJitter(zeroIfNegative(lines, "lifetimeJitter", lifetimeJitter))
                .guardWindow(zeroIfNegative(lines, "guardWindow", guardWindow))
                .connectTimeout(connectTimeout)
                .idleTimeout(idleTimeout)
                .keepalive(keepalive)
                .validationTimeout(between("validationTimeout", validationTimeout, Duration.ofMillis(1)))
                .exhaustion(exhaustion)
                .failsFast(failFast)
                .refillPacing(refillPacing)
                .overflowMax(overflowMax)
                .waitersMax(waitersMax)
                .overtakingWindow(overtakingWindow)
                .successorAllowance(successorAllowance)
                .opensInFlightMax(opensInFlightMax)
                .startDelayMax(
                        staggeredStartup ? between("staggeredStartupMaxDelay", staggeredStartupMaxDelay) : nanos(0))
                .tracksCheckouts(tracksCheckouts);
        return judged(() -> {
            Settings settings = builder.build();
            if (serverAgeLimit != null) {
                serverAgeLimit.check(settings);
            }
            return settings;
        });
    }

    /**
     * Rewrites an error of the engine: it names each setting as the user gave it, and formats durations as all other
     * messages do.
     */
    private <T> T judged(Supplier<T> making) {
        try {
            return making.get();
        } catch (IllegalArgumentException e) {
            String text = ISO_DURATION
                    .matcher(String.valueOf(e.getMessage()))
                    .replaceAll(iso -> shown(Duration.parse(iso.group())));
            for (Map.Entry<String, String> origin : origins.entrySet()) {
                text = text.replaceAll("\\b" + origin.getKey() + "\\b", origin.getValue());
            }
            throw new IllegalArgumentException(text);
        }
    }

    /** Rejects values that the engine does not check itself. */
    public void check() {
        if (name != null && !NAME.matcher(name).matches()) {
            throw refused("name", "\"" + name + "\"", "1 to 100 letters, digits, dots, dashes and underscores");
        }
        checkSource();
        between("acquireTimeout", acquireTimeout);
        between("validationIdle", validationIdle);
        between("initialFillTimeout", initialFillTimeout);
        between("emptyWait", emptyWait);
        between("drainTimeout", drainTimeout);
        between("leakDetectionThreshold", leakDetectionThreshold);
        between("abandonedTimeout", abandonedTimeout);
        if (connectionRateLimit != null && !(connectionRateLimit > 0)) {
            throw refused("connectionRateLimit", connectionRateLimit, "more than 0, or not set for no limit");
        }
        if (connectionBurstLimit != null && connectionBurstLimit < 1) {
            throw refused("connectionBurstLimit", connectionBurstLimit, "1 or more");
        }
        if (connectionBurstLimit != null && connectionRateLimit == null) {
            throw refused("connectionBurstLimit", connectionBurstLimit, "only together with connectionRateLimit");
        }
    }

    private void checkSource() {
        List<String> given = new ArrayList<>();
        if (url != null) {
            given.add("url");
        }
        if (dataSource != null) {
            given.add("dataSource");
        }
        if (dataSourceClassName != null) {
            given.add("dataSourceClassName");
        }
        if (given.isEmpty()) {
            throw new IllegalArgumentException(
                    "url is missing; allowed: a JDBC URL, or a dataSource or dataSourceClassName in its place");
        }
        if (given.size() > 1) {
            throw new IllegalArgumentException(String.join(" and ", given) + " are "
                    + (given.size() == 2 ? "both" : "all") + " given; allowed: one of them");
        }
        if (url == null && driverClassName != null) {
            throw refused("driverClassName", driverClassName, "only together with url, not with " + given.get(0));
        }
        if (dataSource != null && !driverProperties.isEmpty()) {
            throw refused(
                    "driverProperties",
                    "given for " + String.join(", ", new TreeSet<>(driverProperties.stringPropertyNames())),
                    "only together with url or dataSourceClassName, not with dataSource");
        }
    }

    private Duration between(String key, Duration value) {
        return between(key, value, Duration.ZERO);
    }

    private Duration between(String key, Duration value, Duration least) {
        return within(origin(key), value, least);
    }

    /** Returns the value if it is between this minimum and one year. */
    public static Duration within(String givenAs, Duration value, Duration least) {
        if (value.compareTo(least) < 0 || value.compareTo(YEAR) > 0) {
            throw new IllegalArgumentException(
                    givenAs + " is " + shown(value) + "; allowed: " + shown(least) + " to " + shown(YEAR));
        }
        return value;
    }

    private Duration zeroIfNegative(Executor lines, String key, Duration value) {
        if (!value.isNegative()) {
            return value;
        }
        warn(lines, key, shown(value), "0 or more", "0s");
        return Duration.ZERO;
    }

    private void warn(Executor lines, String key, Object value, String allowed, Object used) {
        String reservoir = name;
        lines.execute(() -> log.warn(
                "Reservoir: setting replaced  key={} value={} allowed=\"{}\" used={} reservoir={}",
                origin(key),
                value,
                allowed,
                used,
                reservoir));
    }

    private IllegalArgumentException refused(String key, Object value, String allowed) {
        return new IllegalArgumentException(origin(key) + " is " + value + "; allowed: " + allowed);
    }

    private String origin(String key) {
        return origins.getOrDefault(key, key);
    }

    private static String shown(Duration value) {
        return DurationText.format(value);
    }

    private static int orZero(@Nullable Integer value) {
        return value == null ? 0 : value;
    }

    /**
     * The objects that the user supplies.
     *
     * @param credentials provides logins; by default user and password of the settings, as they are at each connect
     * @param threads makes every thread of the data source
     */
    public record UserObjects(
            Credentials credentials,
            ErrorRule errorRule,
            DataSourceThreads threads,
            List<Listener<Object>> listeners) {}

    /** The settings that can change while the data source runs. */
    public record Live(Sizes sizes, Credential login, Duration acquireTimeout, Times times) {}

    /** Those of them that the engine uses. */
    public record Times(
            Duration baseLifetime,
            Duration lifetimeJitter,
            Duration guardWindow,
            Duration connectTimeout,
            Duration idleTimeout,
            Duration keepalive,
            Duration validationTimeout) {}

    /** How many connections to hold, as far as that was given. */
    public record Sizes(
            @Nullable Integer maxOpen,
            @Nullable Integer targetReady,
            @Nullable Integer lowWatermark,
            int minOpen) {}
}
