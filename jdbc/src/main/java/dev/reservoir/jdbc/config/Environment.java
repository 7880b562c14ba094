package dev.reservoir.jdbc.config;

import dev.reservoir.core.util.BooleanParser;
import dev.reservoir.core.util.NearestName;
import dev.reservoir.jdbc.ReservoirDataSource;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads settings from environment variables. The defaults there are at most 10 connects per second in bursts of 100,
 * and a staggered start. Every setting of {@link SettingKeys} has a variable, whose name is derived from its key. An
 * empty variable counts as not set. The variables of a shared budget are left to its provider.
 *
 * <p>If the environment does not turn reservoir mode on, no connection is opened in advance. Connections are opened
 * when callers ask for them, within the same limits, and are kept.
 */
public final class Environment {
    static final String ENABLED = "DSQL_RESERVOIR_ENABLED";

    private static final String PREFIX = "DSQL_RESERVOIR_";

    /** By key, the variables whose names do not follow the rule. */
    private static final Map<String, String> NAMED = Map.of(
            "connectionRateLimit", "DSQL_CONNECTION_RATE_LIMIT",
            "connectionBurstLimit", "DSQL_CONNECTION_BURST_LIMIT",
            "staggeredStartup", "DSQL_STAGGERED_STARTUP",
            "staggeredStartupMaxDelay", "DSQL_STAGGERED_STARTUP_MAX_DELAY");

    private static final Map<String, String> DEFAULTS = Map.of(
            "connectionRateLimit", "10",
            "connectionBurstLimit", "100",
            "staggeredStartup", "true",
            "staggeredStartupMaxDelay", "5s");

    private static final Logger log = LoggerFactory.getLogger(ReservoirDataSource.class);

    /** Keys by variable, in the order of the settings. */
    private static final Map<String, String> KEYS = new LinkedHashMap<>();

    static {
        SettingKeys.all().forEach(setting -> KEYS.put(variable(setting.key()), setting.key()));
    }

    private Environment() {}

    /**
     * Returns the variable of a setting, such as {@code DSQL_RESERVOIR_MAX_OPEN} for {@code maxOpen}, unless it has a
     * special name.
     */
    static String variable(String key) {
        String named = NAMED.get(key);
        return named != null ? named : PREFIX + key.replaceAll("(?=[A-Z])", "_").toUpperCase(Locale.ROOT);
    }

    public static void apply(Map<String, String> variables, Config config) {
        KEYS.forEach((variable, key) -> {
            String text = variables.getOrDefault(variable, "");
            if (text.isBlank()) {
                text = DEFAULTS.getOrDefault(key, "");
            }
            if (!text.isBlank()) {
                SettingKeys.set(config, key, variable, text);
            }
        });
        config.reservoirMode = BooleanParser.isOn(variables, ENABLED, log);
        if (!config.reservoirMode) {
            openOnDemand(config);
        }
        config.budgetVariables = SharedBudget.wanted(variables);
        variables.keySet().stream().sorted().forEach(Environment::mentionIfUnused);
    }

    /** Keeps the maximum as it was given, but keeps no connection ready. */
    private static void openOnDemand(Config config) {
        log.info("Reservoir mode not enabled, connections are opened when they are asked for  key={}", ENABLED);
        if (config.targetReady != null || config.lowWatermark != null) {
            config.maxOpen = config.maxOpenOrDefault();
        }
        config.targetReady = 0;
        config.lowWatermark = 0;
        config.minOpen = 0;
    }

    private static void mentionIfUnused(String variable) {
        if (isOurs(variable) && !KEYS.containsKey(variable) && !variable.equals(ENABLED)) {
            log.warn(
                    "Reservoir: environment variable not known, ignored  key={} nearest={}",
                    variable,
                    NearestName.of(variable, KEYS.keySet()));
        }
    }

    private static boolean isOurs(String variable) {
        return variable.startsWith(PREFIX)
                || variable.startsWith("DSQL_CONNECTION_")
                || variable.startsWith("DSQL_STAGGERED_");
    }
}
