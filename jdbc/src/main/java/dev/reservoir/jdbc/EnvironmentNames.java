package dev.reservoir.jdbc;

import java.util.Map;

/**
 * Names the environment variables of data sources. By default the variable of a setting is {@code RESERVOIR_} and its
 * key in capital letters, such as {@code RESERVOIR_MAX_OPEN}. A library for one kind of database may give them other
 * names. {@link java.util.ServiceLoader} finds its names, or it passes them to
 * {@link ReservoirDataSourceBuilder#environment(Map, EnvironmentNames)}. No method blocks.
 */
public interface EnvironmentNames {

    /** Begins the names of variables. With {@code ENABLED} behind it, it names the switch of reservoir mode. */
    String prefix();

    /** The variables with other names, by the keys of their settings. */
    default Map<String, String> exceptions() {
        return Map.of();
    }

    /** Whether a variable is meant for a data source. If it is and no setting has it, a warning says so. */
    default boolean isOurs(String variable) {
        return variable.startsWith(prefix());
    }

    /**
     * The variables that ask for a budget that processes share, each with the library that provides it. A variable that
     * is true is rejected if there is no {@link dev.reservoir.core.spi.BudgetProvider}.
     */
    default Map<String, String> budgetSwitches() {
        return Map.of();
    }
}
