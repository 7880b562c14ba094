package dev.reservoir.jdbc;

import dev.reservoir.core.spi.Listener;
import dev.reservoir.jdbc.config.Config;
import dev.reservoir.jdbc.config.DataSourceSettings;
import dev.reservoir.jdbc.config.Environment;
import dev.reservoir.jdbc.config.ServerAgeLimit;
import dev.reservoir.jdbc.config.Setting;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;

/**
 * Collects the settings of a {@link ReservoirDataSource}. Only {@code url}, {@code dataSource} or
 * {@code dataSourceClassName} is required. No method blocks except {@link #build}. Never opens a connection before
 * {@link #build}.
 *
 * <p>{@link #build} rejects a setting that is not allowed. The message names the setting, the value and the allowed
 * values.
 */
public final class ReservoirDataSourceBuilder extends SettingsBuilder<ReservoirDataSourceBuilder> {
    private final Config config = new Config();
    private boolean built;

    ReservoirDataSourceBuilder() {}

    @Override
    <T> ReservoirDataSourceBuilder set(Setting<T> setting, T value) {
        config.set(setting, value);
        return this;
    }

    @Override
    ReservoirDataSourceBuilder setText(Setting<?> setting, String text) {
        config.setText(setting, setting.key(), text);
        return this;
    }

    /** Adds one property for the driver. */
    public ReservoirDataSourceBuilder driverProperty(String key, String value) {
        config.addDriverProperty(key, value);
        return this;
    }

    /** Adds properties for the driver to those given before. */
    public ReservoirDataSourceBuilder driverProperties(Properties values) {
        values.stringPropertyNames().forEach(key -> driverProperty(key, values.getProperty(key)));
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
        return set(DataSourceSettings.SERVER_AGE_LIMIT, new ServerAgeLimit(age, transaction));
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
        return set(
                DataSourceSettings.ONLY_TRANSACTION_ISOLATION,
                DataSourceSettings.TRANSACTION_ISOLATION.parse("onlyTransactionIsolation", level));
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
     * Applies settings by their keys, as {@link ReservoirDataSource#fromProperties} does. Later settings replace
     * earlier ones.
     */
    public ReservoirDataSourceBuilder properties(Properties values) {
        values.stringPropertyNames().forEach(key -> config.setText(key, values.getProperty(key)));
        values.forEach((key, value) -> {
            if (!(value instanceof String)) {
                config.setText(String.valueOf(key), String.valueOf(value));
            }
        });
        return this;
    }

    /**
     * Applies one setting by its key, for frameworks in which it has another name. Errors name that one.
     *
     * @param key a key as in {@link ReservoirDataSource#fromProperties}
     * @param value the value as text
     * @param givenAs the name under which the user gave the value, such as {@code app.pool.max-open}
     */
    public ReservoirDataSourceBuilder property(String key, String value, String givenAs) {
        config.setText(key, givenAs, value);
        return this;
    }

    /** Applies the settings of environment variables, as {@link ReservoirDataSource#fromEnvironment(Map)} does. */
    public ReservoirDataSourceBuilder environment(Map<String, String> variables) {
        Environment.standard().apply(variables, config);
        return this;
    }

    /** Applies the settings of environment variables with these names. */
    public ReservoirDataSourceBuilder environment(Map<String, String> variables, EnvironmentNames names) {
        new Environment(names).apply(variables, config);
        return this;
    }

    /**
     * Returns whether the environment asked for a reservoir, which means that {@code RESERVOIR_ENABLED} is true. Any
     * value that is not clearly true counts as false. Then {@link #build} keeps no connections ready, and a program can
     * use something else instead.
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
            throw new IllegalStateException("this builder has already built its data source; use a new builder");
        }
        built = true;
        return ReservoirDataSource.started(config);
    }
}
