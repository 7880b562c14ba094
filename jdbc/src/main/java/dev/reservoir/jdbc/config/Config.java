package dev.reservoir.jdbc.config;

import dev.reservoir.core.SettingException;
import dev.reservoir.core.Settings;
import dev.reservoir.core.Targets;
import dev.reservoir.core.spi.Credentials;
import dev.reservoir.core.spi.Credentials.Credential;
import dev.reservoir.core.spi.Listener;
import dev.reservoir.core.util.NearestName;
import dev.reservoir.jdbc.ErrorRule;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.session.SessionSetup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The values of the {@link DataSourceSettings} of one data source, as they were given by the builder, bean setters,
 * properties or the environment. Accepts any value while it is being filled; {@link #targets}, {@link #settings} and
 * {@link #check} check the values. Never starts anything.
 */
public final class Config {
    private static final Logger log = LoggerFactory.getLogger(ReservoirDataSource.class);
    private static final int MAX_OPEN_DEFAULT = 10;

    /** Listeners that were given as objects. */
    public final List<Listener<Object>> listeners = new ArrayList<>();

    /** The budget that the environment asks for and that this process shares with others, or null if there is none. */
    public @Nullable SharedBudget sharedBudget;

    public boolean reservoirMode;

    /** Replaced as a whole, so that threads that connect see all of a change or nothing of it. */
    private volatile Map<Setting<?>, Given> values = Map.of();

    // Values.

    /** Returns the value that was given, or null. */
    @SuppressWarnings("unchecked") // set accepts no other type
    public <T> @Nullable T given(Setting<T> setting) {
        return (T) Given.value(values.get(setting));
    }

    /** Returns the value that was given, or the default. The setting must have one. */
    public <T> T get(Setting<T> setting) {
        T value = given(setting);
        return value == null ? setting.defaultIn(this) : value;
    }

    /** Sets a value. Null takes a value back, and is allowed only for settings without a default. */
    public <T> void set(Setting<T> setting, @Nullable T value) {
        if (setting.hasDefault()) {
            Objects.requireNonNull(value, setting.key());
        }
        Map<Setting<?>, @Nullable Object> change = new HashMap<>();
        change.put(setting, value);
        setAll(change);
    }

    /** Sets several values together. Null takes a value back. */
    public void setAll(Map<Setting<?>, @Nullable Object> change) {
        Map<Setting<?>, @Nullable Given> given = new HashMap<>();
        change.forEach((setting, value) -> given.put(setting, value == null ? null : new Given(value, setting.key())));
        put(given);
    }

    private synchronized void put(Map<Setting<?>, @Nullable Given> change) {
        Map<Setting<?>, Given> changed = new HashMap<>(values);
        change.forEach((setting, given) -> {
            if (given == null) {
                changed.remove(setting);
            } else {
                changed.put(setting, given);
            }
        });
        values = changed;
    }

    /** Sets an object, or the name of its class. */
    public void setAny(Setting<Object> setting, @Nullable Object value) {
        Object given = value instanceof CharSequence className ? className.toString() : value;
        if (given != null
                && !(given instanceof String)
                && !setting.type().value().isInstance(given)) {
            throw new SettingException(
                    setting.key(),
                    "a " + given.getClass().getName(),
                    setting.type().allowed());
        }
        set(setting, given);
    }

    /**
     * Sets a setting by its key, or a property of the driver by {@link DataSourceSettings#DRIVER_PREFIX} and its key.
     */
    public void setText(String key, String text) {
        setText(key, key, text);
    }

    /**
     * Does the same for a setting that was given under another name.
     *
     * @param givenAs the name under which it was given, which errors name
     */
    public void setText(String key, String givenAs, String text) {
        String prefix = DataSourceSettings.DRIVER_PREFIX;
        if (key.startsWith(prefix) && key.length() > prefix.length()) {
            addDriverProperty(key.substring(prefix.length()), text);
            return;
        }
        Map<String, Setting<?>> known = DataSourceSettings.byKey();
        Setting<?> setting = known.get(key);
        if (setting == null) {
            throw new IllegalArgumentException(
                    givenAs + " is not a setting; the nearest that is: " + NearestName.of(key, known.keySet()));
        }
        setText(setting, givenAs, text);
    }

    /**
     * Parses and sets a value.
     *
     * @param givenAs the name under which it was given, which errors name
     */
    public <T> void setText(Setting<T> setting, String givenAs, String text) {
        put(Map.of(setting, new Given(setting.parse(givenAs, text), givenAs)));
    }

    public void addDriverProperty(String key, String value) {
        Map<String, String> properties = new TreeMap<>(driverProperties());
        properties.put(key, value);
        set(DataSourceSettings.DRIVER_PROPERTIES, properties);
    }

    public Map<String, String> driverProperties() {
        Map<String, String> properties = given(DataSourceSettings.DRIVER_PROPERTIES);
        return properties == null ? Map.of() : properties;
    }

    /** User and password, as far as they were given, at one moment. */
    public Credential login() {
        Map<Setting<?>, Given> now = values;
        return new Credential((String) Given.value(now.get(DataSourceSettings.USERNAME)), (String)
                Given.value(now.get(DataSourceSettings.PASSWORD)));
    }

    /** Returns the values that were given so far, for {@link #restore} and {@link #changedSince}. */
    public Snapshot snapshot() {
        return new Snapshot(values);
    }

    /** Sets all settings back to earlier values. */
    public void restore(Snapshot earlier) {
        values = earlier.values;
    }

    /** Returns the settings whose values have changed. */
    public Set<Setting<?>> changedSince(Snapshot earlier) {
        Map<Setting<?>, Given> now = values;
        Set<Setting<?>> changed = new HashSet<>(now.keySet());
        changed.addAll(earlier.values.keySet());
        changed.removeIf(
                setting -> Objects.equals(Given.value(now.get(setting)), Given.value(earlier.values.get(setting))));
        return changed;
    }

    // Objects that are made from the values.

    int maxOpenDefault() {
        return Stream.of(DataSourceSettings.TARGET_READY, DataSourceSettings.LOW_WATERMARK, DataSourceSettings.MIN_OPEN)
                .map(this::given)
                .filter(Objects::nonNull)
                .reduce(MAX_OPEN_DEFAULT, Math::max);
    }

    public SessionSetup sessionSetup() {
        Integer isolation = given(DataSourceSettings.TRANSACTION_ISOLATION);
        boolean holdsAnyway =
                isolation != null && isolation.equals(given(DataSourceSettings.ONLY_TRANSACTION_ISOLATION));
        return new SessionSetup(
                given(DataSourceSettings.AUTO_COMMIT),
                given(DataSourceSettings.READ_ONLY),
                holdsAnyway ? null : isolation,
                given(DataSourceSettings.CATALOG),
                given(DataSourceSettings.SCHEMA),
                given(DataSourceSettings.CONNECTION_INIT_SQL));
    }

    /** Returns the objects of the user. Creates those that were given by class name. */
    public UserObjects userObjects() {
        Credentials credentials = object(DataSourceSettings.CREDENTIALS, Credentials.class);
        ErrorRule rule = object(DataSourceSettings.ERROR_RULE, ErrorRule.class);
        return new UserObjects(
                credentials == null ? () -> CompletableFuture.completedFuture(login()) : credentials,
                rule == null ? ErrorRule.standard() : rule,
                new DataSourceThreads(object(DataSourceSettings.THREAD_FACTORY, ThreadFactory.class)),
                makeListeners());
    }

    private <T> @Nullable T object(Setting<Object> setting, Class<T> type) {
        Object value = given(setting);
        return value instanceof String className
                ? ClassNames.instance(givenAs(setting), className, type)
                : type.cast(value);
    }

    @SuppressWarnings("unchecked") // every listener accepts any connection object
    private List<Listener<Object>> makeListeners() {
        List<Listener<Object>> all = new ArrayList<>(listeners);
        String classNames = given(DataSourceSettings.LISTENER);
        if (classNames != null) {
            for (String className : classNames.split(",", -1)) {
                all.add((Listener<Object>)
                        ClassNames.instance(givenAs(DataSourceSettings.LISTENER), className, Listener.class));
            }
        }
        return all;
    }

    /**
     * Returns how many connections to hold. Raises {@code targetReady} to {@code lowWatermark} with a warning.
     *
     * @param lines runs the tasks that log
     */
    public Targets targets(Executor lines) {
        int max = get(DataSourceSettings.MAX_OPEN);
        int low = get(DataSourceSettings.LOW_WATERMARK);
        int target = get(DataSourceSettings.TARGET_READY);
        int used = target < low && low <= max ? low : target;
        if (used != target) {
            warn(lines, DataSourceSettings.TARGET_READY, target, "at least lowWatermark (" + low + ")", used);
        }
        return named(() -> new Targets(max, used, low, get(DataSourceSettings.MIN_OPEN)));
    }

    /**
     * Returns the settings of the engine. Replaces some values that are not allowed, with a warning, and rejects the
     * others.
     *
     * @param lines runs the tasks that log
     */
    public Settings settings(Executor lines) {
        Duration lifetime = get(DataSourceSettings.BASE_LIFETIME);
        if (lifetime.isNegative() || lifetime.isZero()) {
            Duration used = DataSourceSettings.BASE_LIFETIME.defaultIn(this);
            warn(lines, DataSourceSettings.BASE_LIFETIME, lifetime, "more than 0", used);
            lifetime = used;
        }
        Settings.Builder builder = Settings.builder()
                .baseLifetime(lifetime)
                .lifetimeJitter(zeroIfNegative(lines, DataSourceSettings.LIFETIME_JITTER))
                .guardWindow(zeroIfNegative(lines, DataSourceSettings.GUARD_WINDOW))
                .connectTimeout(get(DataSourceSettings.CONNECT_TIMEOUT))
                .idleTimeout(get(DataSourceSettings.IDLE_TIMEOUT))
                .keepalive(get(DataSourceSettings.KEEPALIVE))
                .validationTimeout(get(DataSourceSettings.VALIDATION_TIMEOUT))
                .exhaustion(get(DataSourceSettings.EXHAUSTION))
                .failsFast(get(DataSourceSettings.FAIL_FAST))
                .refillPacing(get(DataSourceSettings.REFILL_PACING))
                .overflowMax(get(DataSourceSettings.OVERFLOW_MAX))
                .waitersMax(get(DataSourceSettings.WAITERS_MAX))
                .overtakingWindow(get(DataSourceSettings.OVERTAKING_WINDOW))
                .successorAllowance(get(DataSourceSettings.SUCCESSOR_ALLOWANCE))
                .opensInFlightMax(get(DataSourceSettings.OPENS_IN_FLIGHT_MAX))
                .startDelayMax(
                        get(DataSourceSettings.STAGGERED_STARTUP)
                                ? get(DataSourceSettings.STAGGERED_STARTUP_MAX_DELAY)
                                : Duration.ZERO)
                .tracksCheckouts(get(DataSourceSettings.TRACKS_CHECKOUTS));
        ServerAgeLimit limit = given(DataSourceSettings.SERVER_AGE_LIMIT);
        return named(() -> {
            Settings settings = builder.build();
            if (limit != null) {
                limit.check(settings);
            }
            return settings;
        });
    }

    /** Makes something of the engine. An error names the setting as the user gave it. */
    private <T> T named(Supplier<T> making) {
        try {
            return making.get();
        } catch (SettingException e) {
            Setting<?> setting = DataSourceSettings.byKey().get(e.key());
            throw setting == null ? e : e.named(givenAs(setting));
        }
    }

    // Checks.

    /** Rejects values that the engine does not check itself. */
    public void check() {
        checkSource();
        DataSourceSettings.all().forEach(setting -> checkRange(setting));
        Integer burst = given(DataSourceSettings.CONNECTION_BURST_LIMIT);
        if (burst != null && given(DataSourceSettings.CONNECTION_RATE_LIMIT) == null) {
            throw rejected(DataSourceSettings.CONNECTION_BURST_LIMIT, burst, "only together with connectionRateLimit");
        }
    }

    private <T> void checkRange(Setting<T> setting) {
        T value = given(setting);
        boolean isUnused =
                setting == DataSourceSettings.STAGGERED_STARTUP_MAX_DELAY && !get(DataSourceSettings.STAGGERED_STARTUP);
        if (value != null && !isUnused) {
            setting.checked(givenAs(setting), value);
        }
    }

    private void checkSource() {
        List<Setting<?>> given = Stream.<Setting<?>>of(
                        DataSourceSettings.URL,
                        DataSourceSettings.DATA_SOURCE,
                        DataSourceSettings.DATA_SOURCE_CLASS_NAME)
                .filter(values::containsKey)
                .toList();
        if (given.isEmpty()) {
            throw SettingException.missing("url", "a JDBC URL, or a dataSource or dataSourceClassName in its place");
        }
        if (given.size() > 1) {
            throw rejected(
                    given.get(0),
                    "given together with " + given.get(1),
                    "one of url, dataSource and dataSourceClassName");
        }
        String driver = given(DataSourceSettings.DRIVER_CLASS_NAME);
        if (driver != null && given(DataSourceSettings.URL) == null) {
            throw rejected(
                    DataSourceSettings.DRIVER_CLASS_NAME, driver, "only together with url, not with " + given.get(0));
        }
        if (given(DataSourceSettings.DATA_SOURCE) != null && !driverProperties().isEmpty()) {
            throw new SettingException(
                    "driverProperties",
                    "given for " + String.join(", ", driverProperties().keySet()),
                    "only together with url or dataSourceClassName, not with dataSource");
        }
    }

    private Duration zeroIfNegative(Executor lines, Setting<Duration> setting) {
        Duration value = get(setting);
        if (!value.isNegative()) {
            return value;
        }
        warn(lines, setting, value, "0 or more", Duration.ZERO);
        return Duration.ZERO;
    }

    private <T> void warn(Executor lines, Setting<T> setting, T value, String allowed, T used) {
        String reservoir = given(DataSourceSettings.NAME);
        String key = givenAs(setting);
        lines.execute(() -> log.warn(
                "Reservoir: setting replaced  key={} value={} allowed=\"{}\" used={} reservoir={}",
                key,
                setting.type().formatter().apply(value),
                allowed,
                setting.type().formatter().apply(used),
                reservoir));
    }

    private SettingException rejected(Setting<?> setting, Object value, String allowed) {
        return new SettingException(givenAs(setting), value, allowed);
    }

    /** The name under which the setting was given: its key, or an environment variable. */
    private String givenAs(Setting<?> setting) {
        Given given = values.get(setting);
        return given == null ? setting.key() : given.givenAs;
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

    /** The values at one moment. Never shows them, since they hold the password. */
    public static final class Snapshot {
        private final Map<Setting<?>, Given> values;

        private Snapshot(Map<Setting<?>, Given> values) {
            this.values = values;
        }
    }

    /** A value and the name under which it was given. Never shows the value, which may be a secret. */
    private static final class Given {
        private final Object value;
        private final String givenAs;

        Given(Object value, String givenAs) {
            this.value = value;
            this.givenAs = givenAs;
        }

        static @Nullable Object value(@Nullable Given given) {
            return given == null ? null : given.value;
        }
    }
}
