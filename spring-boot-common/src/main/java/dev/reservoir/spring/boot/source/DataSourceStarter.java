package dev.reservoir.spring.boot.source;

import dev.reservoir.core.SettingException;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.ReservoirDataSourceBuilder;
import dev.reservoir.jdbc.config.DataSourceSettings;
import dev.reservoir.spring.boot.ReservoirDataSourceCustomizer;
import dev.reservoir.spring.boot.failure.FirstConnectException;
import dev.reservoir.spring.boot.failure.UsedLogin;
import dev.reservoir.spring.boot.settings.PropertyNames;
import dev.reservoir.spring.boot.settings.ReservoirProperties;
import dev.reservoir.spring.boot.settings.ReservoirSettings;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.env.Environment;

/**
 * Starts the data source of an application with the settings of its properties. Starting blocks for the initial fill,
 * for {@code initialFillTimeout} at most.
 */
public final class DataSourceStarter {
    /** The name of the bean, and of the data source if no property names it. */
    public static final String BEAN_NAME = "dataSource";

    private final BeanFactory beans;
    private final ReservoirProperties properties;
    private final ObjectProvider<ReservoirDataSourceCustomizer> customizers;

    /**
     * Starts a bean of this factory. Reads properties from this environment, and applies these customizers after them.
     */
    public DataSourceStarter(
            BeanFactory beans, Environment environment, ObjectProvider<ReservoirDataSourceCustomizer> customizers) {
        this.beans = beans;
        this.properties = new ReservoirProperties(environment);
        this.customizers = customizers;
    }

    /**
     * Starts a data source.
     *
     * @throws dev.reservoir.core.SettingException if a property is unknown or not allowed
     * @throws FirstConnectException if the server refuses the first login, or if the host or the database is unknown
     */
    public ReservoirDataSource start(DatabaseLogin given) {
        DatabaseLogin login = given.isFromDetails() ? given : overridden(given);
        ReservoirDataSourceBuilder builder = ReservoirDataSource.builder();
        if (!properties.hasDataSourceClass()) {
            set(builder, DataSourceSettings.URL.key(), login.url());
            set(builder, DataSourceSettings.DRIVER_CLASS_NAME.key(), login.driverClassName());
        }
        set(builder, DataSourceSettings.USERNAME.key(), login.username());
        set(builder, DataSourceSettings.PASSWORD.key(), login.password());
        ReservoirSettings settings = settings();
        configure(builder, settings);
        UsedLogin used =
                new UsedLogin(properties.hasDataSourceClass() ? null : login.urlWithoutSecrets(), login.username());
        return connected(settings.name(), used, () -> built(builder));
    }

    ReservoirSettings settings() {
        return properties.read(BEAN_NAME);
    }

    /** Applies properties, then customizers. */
    void configure(ReservoirDataSourceBuilder builder, ReservoirSettings settings) {
        settings.apply(builder);
        customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
    }

    /** Names a mistake that only shows when all settings are together by its property. */
    private static ReservoirDataSource built(ReservoirDataSourceBuilder builder) {
        try {
            return builder.build();
        } catch (SettingException e) {
            throw DataSourceSettings.byKey().containsKey(e.key()) ? e.named(PropertyNames.ofAny(e.key())) : e;
        }
    }

    /** Starts something that connects. Explains a first connect that fails, and keeps the login for later failures. */
    <T> T connected(String name, UsedLogin login, Supplier<T> start) {
        login.keep(beans, BEAN_NAME);
        try {
            return start.get();
        } catch (IllegalStateException e) {
            if (e.getCause() == null) {
                throw e;
            }
            throw new FirstConnectException(name, login.url(), login.user(), e);
        }
    }

    private DatabaseLogin overridden(DatabaseLogin login) {
        Map<String, String> hikari = properties.login();
        return new DatabaseLogin(
                hikari.getOrDefault(DataSourceSettings.URL.key(), login.url()),
                hikari.getOrDefault(DataSourceSettings.USERNAME.key(), login.username()),
                hikari.getOrDefault(DataSourceSettings.PASSWORD.key(), login.password()),
                hikari.getOrDefault(DataSourceSettings.DRIVER_CLASS_NAME.key(), login.driverClassName()),
                false);
    }

    private static void set(ReservoirDataSourceBuilder builder, String key, @Nullable String value) {
        if (value != null) {
            builder.property(key, value, PropertyNames.ofAny(key));
        }
    }
}
