package dev.reservoir.jdbc.config;

import dev.reservoir.core.spi.BudgetProvider;
import dev.reservoir.core.util.BooleanParser;
import dev.reservoir.core.util.NearestName;
import dev.reservoir.jdbc.EnvironmentNames;
import dev.reservoir.jdbc.ReservoirDataSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads settings from environment variables. Every setting that can be text has a variable, which
 * {@link EnvironmentNames} names. An empty variable counts as not set. The variables of a shared budget are left to its
 * provider. Logs on the thread of the caller, since no data source runs yet.
 *
 * <p>If the environment does not turn reservoir mode on, no connection is opened in advance. Connections are opened
 * when callers ask for them, within the same limits, and are kept.
 */
public final class Environment {
    private static final Logger log = LoggerFactory.getLogger(ReservoirDataSource.class);
    private static final EnvironmentNames STANDARD = () -> "RESERVOIR_";

    private final EnvironmentNames names;
    private final String enabled;

    /** In the order of the settings. */
    private final Map<String, Setting<?>> byVariable = new LinkedHashMap<>();

    public Environment(EnvironmentNames names) {
        this.names = names;
        enabled = names.prefix() + "ENABLED";
        Map<String, String> exceptions = names.exceptions();
        DataSourceSettings.byKey()
                .forEach((key, setting) ->
                        byVariable.put(exceptions.getOrDefault(key, names.prefix() + setting.variable()), setting));
    }

    /** Returns the environment with the names of the library that registers some, or with the standard names. */
    public static Environment standard() {
        // The class loader of the application may see more than this one.
        return new Environment(registered(Thread.currentThread().getContextClassLoader())
                .or(() -> registered(Environment.class.getClassLoader()))
                .orElse(STANDARD));
    }

    /** A class loader that has an own copy of this library finds names that do not belong to this copy. */
    private static Optional<EnvironmentNames> registered(@Nullable ClassLoader loader) {
        try {
            return ServiceLoader.load(EnvironmentNames.class, loader).findFirst();
        } catch (ServiceConfigurationError e) {
            log.warn("Reservoir: names of environment variables not usable, ignored", e);
            return Optional.empty();
        }
    }

    /** The settings by their variables. */
    Map<String, Setting<?>> byVariable() {
        return byVariable;
    }

    /** Sets what these variables say. */
    public void apply(Map<String, String> variables, Config config) {
        byVariable.forEach((variable, setting) -> {
            String given = variables.getOrDefault(variable, "");
            String text = given.isBlank() ? setting.environmentDefault() : given;
            if (text != null) {
                config.setText(setting, variable, text);
            }
        });
        config.reservoirMode = BooleanParser.isOn(variables, enabled, log);
        if (!config.reservoirMode) {
            openOnDemand(config);
        }
        config.sharedBudget = SharedBudget.requested(
                variables, names, ServiceLoader.load(BudgetProvider.class, Environment.class.getClassLoader()));
        variables.keySet().stream().sorted().forEach(this::mentionIfUnused);
    }

    /** Keeps the maximum as it was given, but keeps no connection ready. */
    private void openOnDemand(Config config) {
        log.info("Reservoir mode not enabled, connections are opened on demand  key={}", enabled);
        boolean hasSize = config.given(DataSourceSettings.TARGET_READY) != null
                || config.given(DataSourceSettings.LOW_WATERMARK) != null;
        if (hasSize && config.given(DataSourceSettings.MAX_OPEN) == null) {
            config.set(DataSourceSettings.MAX_OPEN, config.get(DataSourceSettings.MAX_OPEN));
        }
        config.set(DataSourceSettings.TARGET_READY, 0);
        config.set(DataSourceSettings.LOW_WATERMARK, 0);
        config.set(DataSourceSettings.MIN_OPEN, 0);
    }

    private void mentionIfUnused(String variable) {
        if (names.isOurs(variable) && !byVariable.containsKey(variable) && !variable.equals(enabled)) {
            log.warn(
                    "Reservoir: environment variable not known, ignored  key={} nearest={}",
                    variable,
                    NearestName.of(variable, byVariable.keySet()));
        }
    }
}
