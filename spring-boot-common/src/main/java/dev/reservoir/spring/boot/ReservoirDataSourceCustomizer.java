package dev.reservoir.spring.boot;

import dev.reservoir.jdbc.ReservoirDataSourceBuilder;

/**
 * Changes settings of the auto-configured data source in code, after those of the properties are applied. An
 * application declares beans of this type, for example for settings that are objects, such as {@code permits}. The
 * starter calls them in their order.
 */
@FunctionalInterface
public interface ReservoirDataSourceCustomizer {

    /** Changes settings. Must not call {@code build}. */
    void customize(ReservoirDataSourceBuilder builder);
}
