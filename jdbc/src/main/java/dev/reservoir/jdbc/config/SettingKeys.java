package dev.reservoir.jdbc.config;

import dev.reservoir.core.Exhaustion;
import dev.reservoir.core.RefillPacing;
import dev.reservoir.core.util.BooleanParser;
import dev.reservoir.core.util.NearestName;
import dev.reservoir.jdbc.DeadPeerDetection;
import dev.reservoir.jdbc.Validation;
import dev.reservoir.jdbc.session.IsolationLevels;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Every setting that can be written as text, by its key, for properties, the environment and JNDI. Never checks how
 * settings fit together.
 */
public final class SettingKeys {
    /** Begins the key of a property for the driver. */
    public static final String DRIVER_PREFIX = "driver.";

    private static final Map<String, Setting> ALL = new LinkedHashMap<>();

    static {
        text("name", (c, v) -> c.name = v, c -> c.name);
        text("url", (c, v) -> c.url = v, c -> c.url);
        text("driverClassName", (c, v) -> c.driverClassName = v, c -> c.driverClassName);
        text("dataSourceClassName", (c, v) -> c.dataSourceClassName = v, c -> c.dataSourceClassName);
        text("username", Config::username, c -> c.login.user());
        text("password", Config::password, c -> c.login.secret());
        text("credentials", (c, v) -> c.credentials.setClassName(v), c -> c.credentials.className());
        flag("autoCommit", (c, v) -> c.autoCommit = v, c -> c.autoCommit);
        flag("readOnly", (c, v) -> c.readOnly = v, c -> c.readOnly);
        add(
                "transactionIsolation",
                (c, k, v) -> c.transactionIsolation = IsolationLevels.parse(k, v),
                c -> isolation(c));
        text("catalog", (c, v) -> c.catalog = v, c -> c.catalog);
        text("schema", (c, v) -> c.schema = v, c -> c.schema);
        text("connectionInitSql", (c, v) -> c.connectionInitSql = v, c -> c.connectionInitSql);
        number("maxOpen", (c, v) -> c.maxOpen = v, c -> c.maxOpen);
        number("targetReady", (c, v) -> c.targetReady = v, c -> c.targetReady);
        number("lowWatermark", (c, v) -> c.lowWatermark = v, c -> c.lowWatermark);
        number("minOpen", (c, v) -> c.minOpen = v, c -> c.minOpen);
        duration("baseLifetime", (c, v) -> c.baseLifetime = v, c -> c.baseLifetime);
        duration("lifetimeJitter", (c, v) -> c.lifetimeJitter = v, c -> c.lifetimeJitter);
        duration("guardWindow", (c, v) -> c.guardWindow = v, c -> c.guardWindow);
        duration("acquireTimeout", (c, v) -> c.acquireTimeout = v, c -> c.acquireTimeout);
        duration("connectTimeout", (c, v) -> c.connectTimeout = v, c -> c.connectTimeout);
        duration("idleTimeout", (c, v) -> c.idleTimeout = v, c -> c.idleTimeout);
        duration("keepalive", (c, v) -> c.keepalive = v, c -> c.keepalive);
        choice("validation", Validation.class, (c, v) -> c.validation = v, c -> c.validation);
        duration("validationIdle", (c, v) -> c.validationIdle = v, c -> c.validationIdle);
        duration("validationTimeout", (c, v) -> c.validationTimeout = v, c -> c.validationTimeout);
        text("validationQuery", (c, v) -> c.validationQuery = v, c -> c.validationQuery);
        choice("exhaustion", Exhaustion.class, (c, v) -> c.exhaustion = v, c -> c.exhaustion);
        flag("failFast", (c, v) -> c.failFast = v, c -> c.failFast);
        choice("refillPacing", RefillPacing.class, (c, v) -> c.refillPacing = v, c -> c.refillPacing);
        choice(
                "deadPeerDetection",
                DeadPeerDetection.class,
                (c, v) -> c.deadPeerDetection = v,
                c -> c.deadPeerDetection);
        number("overflowMax", (c, v) -> c.overflowMax = v, c -> c.overflowMax);
        number("waitersMax", (c, v) -> c.waitersMax = v, c -> c.waitersMax);
        duration("overtakingWindow", (c, v) -> c.overtakingWindow = v, c -> c.overtakingWindow);
        number("successorAllowance", (c, v) -> c.successorAllowance = v, c -> c.successorAllowance);
        number("opensInFlightMax", (c, v) -> c.opensInFlightMax = v, c -> c.opensInFlightMax);
        add("connectionRateLimit", (c, k, v) -> c.connectionRateLimit = decimal(k, v), c -> c.connectionRateLimit);
        number("connectionBurstLimit", (c, v) -> c.connectionBurstLimit = v, c -> c.connectionBurstLimit);
        flag("staggeredStartup", (c, v) -> c.staggeredStartup = v, c -> c.staggeredStartup);
        duration("staggeredStartupMaxDelay", (c, v) -> c.staggeredStartupMaxDelay = v, c -> c.staggeredStartupMaxDelay);
        duration("initialFillTimeout", (c, v) -> c.initialFillTimeout = v, c -> c.initialFillTimeout);
        duration("emptyWait", (c, v) -> c.emptyWait = v, c -> c.emptyWait);
        duration("drainTimeout", (c, v) -> c.drainTimeout = v, c -> c.drainTimeout);
        flag("tracksCheckouts", (c, v) -> c.tracksCheckouts = v, c -> c.tracksCheckouts);
        duration("leakDetectionThreshold", (c, v) -> c.leakDetectionThreshold = v, c -> c.leakDetectionThreshold);
        duration("abandonedTimeout", (c, v) -> c.abandonedTimeout = v, c -> c.abandonedTimeout);
        text("errorRule", (c, v) -> c.errorRule.setClassName(v), c -> c.errorRule.className());
        text("listener", (c, v) -> c.listenerClassNames = v, c -> c.listenerClassNames);
        text("threadFactory", (c, v) -> c.threadFactory.setClassName(v), c -> c.threadFactory.className());
        flag("jmx", (c, v) -> c.jmx = v, c -> c.jmx);
    }

    private SettingKeys() {}

    /** One setting. */
    public record Setting(String key, Write write, Function<Config, @Nullable Object> read) {

        /** Returns the value as text that {@link #write} can parse, or null if it was not set and has no default. */
        @Nullable
        public String text(Config config) {
            Object value = read.apply(config);
            if (value == null) {
                return null;
            }
            return value instanceof Duration duration ? DurationText.format(duration) : value.toString();
        }
    }

    /** Parses a text into a setting. An error names the setting as it was given. */
    @FunctionalInterface
    interface Write {
        void accept(Config config, String givenAs, String text);
    }

    public static Collection<Setting> all() {
        return ALL.values();
    }

    /** Sets a setting by its key, or a property of the driver by {@link #DRIVER_PREFIX} and its key. */
    public static void set(Config config, String key, String text) {
        if (key.startsWith(DRIVER_PREFIX) && key.length() > DRIVER_PREFIX.length()) {
            config.driverProperties.setProperty(key.substring(DRIVER_PREFIX.length()), text);
        } else {
            set(config, key, key, text);
        }
    }

    /** Does the same for a setting that was given under another name than its key. */
    public static void set(Config config, String key, String givenAs, String text) {
        Setting setting = ALL.get(key);
        if (setting == null) {
            throw new IllegalArgumentException(
                    key + " is not a setting; the nearest that is: " + NearestName.of(key, ALL.keySet()));
        }
        setting.write.accept(config, givenAs, text);
        if (!givenAs.equals(key)) {
            config.cameFrom(key, givenAs);
        }
    }

    public static @Nullable String isolation(Config config) {
        Integer level = config.transactionIsolation;
        return level == null ? null : IsolationLevels.format(level);
    }

    private static void add(String key, Write write, Function<Config, @Nullable Object> read) {
        ALL.put(key, new Setting(key, write, read));
    }

    private static void text(String key, BiConsumer<Config, String> write, Function<Config, @Nullable Object> read) {
        add(key, (config, givenAs, text) -> write.accept(config, text), read);
    }

    private static void number(String key, BiConsumer<Config, Integer> write, Function<Config, @Nullable Object> read) {
        add(key, (config, givenAs, text) -> write.accept(config, integer(givenAs, text)), read);
    }

    private static void duration(
            String key, BiConsumer<Config, Duration> write, Function<Config, @Nullable Object> read) {
        add(key, (config, givenAs, text) -> write.accept(config, DurationText.parse(givenAs, text)), read);
    }

    private static void flag(String key, BiConsumer<Config, Boolean> write, Function<Config, @Nullable Object> read) {
        add(key, (config, givenAs, text) -> write.accept(config, bool(givenAs, text)), read);
    }

    private static <E extends Enum<E>> void choice(
            String key, Class<E> type, BiConsumer<Config, E> write, Function<Config, @Nullable Object> read) {
        add(key, (config, givenAs, text) -> write.accept(config, constant(givenAs, type, text)), read);
    }

    private static int integer(String key, String text) {
        try {
            return Integer.parseInt(text.strip());
        } catch (NumberFormatException e) {
            throw refused(key, text, "a whole number");
        }
    }

    private static double decimal(String key, String text) {
        try {
            return Double.parseDouble(text.strip());
        } catch (NumberFormatException e) {
            throw refused(key, text, "a number");
        }
    }

    private static boolean bool(String key, String text) {
        Boolean value = BooleanParser.parse(text);
        if (value == null) {
            throw refused(key, text, "true or false");
        }
        return value;
    }

    private static <E extends Enum<E>> E constant(String key, Class<E> type, String text) {
        StringBuilder allowed = new StringBuilder();
        for (E constant : type.getEnumConstants()) {
            if (constant.name().equalsIgnoreCase(text.strip())) {
                return constant;
            }
            allowed.append(allowed.isEmpty() ? "" : ", ").append(constant.name().toLowerCase(Locale.ROOT));
        }
        throw refused(key, text, allowed.toString());
    }

    private static IllegalArgumentException refused(String key, String text, String allowed) {
        return new IllegalArgumentException(key + " is \"" + text + "\"; allowed: " + allowed);
    }
}
