package dev.reservoir.jdbc;

import dev.reservoir.core.Nearest;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads settings from environment variables, with the defaults that hold there: at most 10 connects a second in bursts of 100,
 * and a staggered start-up. An empty variable counts as not set. Those of a shared budget are left to whoever makes it.
 */
final class Environment {
    static final String ENABLED = "DSQL_RESERVOIR_ENABLED";

    private static final Logger log = LoggerFactory.getLogger(ReservoirDataSource.class);
    private static final Map<String, String> KEYS = new LinkedHashMap<>();
    private static final Map<String, String> DEFAULTS = Map.of(
            "DSQL_CONNECTION_RATE_LIMIT", "10",
            "DSQL_CONNECTION_BURST_LIMIT", "100",
            "DSQL_STAGGERED_STARTUP", "true",
            "DSQL_STAGGERED_STARTUP_MAX_DELAY", "5s");

    static {
        KEYS.put("DSQL_RESERVOIR_TARGET_READY", "targetReady");
        KEYS.put("DSQL_RESERVOIR_LOW_WATERMARK", "lowWatermark");
        KEYS.put("DSQL_RESERVOIR_BASE_LIFETIME", "baseLifetime");
        KEYS.put("DSQL_RESERVOIR_LIFETIME_JITTER", "lifetimeJitter");
        KEYS.put("DSQL_RESERVOIR_GUARD_WINDOW", "guardWindow");
        KEYS.put("DSQL_CONNECTION_RATE_LIMIT", "connectionRateLimit");
        KEYS.put("DSQL_CONNECTION_BURST_LIMIT", "connectionBurstLimit");
        KEYS.put("DSQL_STAGGERED_STARTUP", "staggeredStartup");
        KEYS.put("DSQL_STAGGERED_STARTUP_MAX_DELAY", "staggeredStartupMaxDelay");
    }

    private Environment() {}

    static void apply(Map<String, String> variables, Config config) {
        config.reservoirMode = isEnabled(variables);
        KEYS.forEach((variable, key) -> {
            String text = variables.getOrDefault(variable, "");
            if (text.isBlank()) {
                text = DEFAULTS.getOrDefault(variable, "");
            }
            if (!text.isBlank()) {
                SettingKeys.set(config, key, variable, text);
            }
        });
        config.budgetVariables = SharedBudget.isWanted(variables) ? SharedBudget.relevant(variables) : null;
        variables.keySet().stream().sorted().forEach(Environment::mentionIfUnused);
    }

    /** Anything but a clear yes is a no. */
    static boolean isEnabled(Map<String, String> variables) {
        return Boolean.TRUE.equals(SettingKeys.asBoolean(variables.getOrDefault(ENABLED, "")));
    }

    private static void mentionIfUnused(String variable) {
        if (isOurs(variable) && !KEYS.containsKey(variable) && !variable.equals(ENABLED)) {
            log.warn(
                    "Reservoir: environment variable not known, ignored  key={} nearest={}",
                    variable,
                    Nearest.of(variable, KEYS.keySet()));
        }
    }

    private static boolean isOurs(String variable) {
        return variable.startsWith("DSQL_RESERVOIR_")
                || variable.startsWith("DSQL_CONNECTION_")
                || variable.startsWith("DSQL_STAGGERED_");
    }
}
