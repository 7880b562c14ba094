package dev.reservoir.spring.boot.settings;

import dev.reservoir.jdbc.ReservoirDataSourceBuilder;
import dev.reservoir.jdbc.config.DataSourceSettings;
import java.util.Map;
import java.util.Objects;

/**
 * The settings that an application's properties give to its data source. Shows no value, since it may be a secret.
 *
 * @param given by the key of the setting; the name is one of them
 */
public record ReservoirSettings(Map<String, GivenSetting> given, Map<String, String> driverProperties) {

    /** The name of the data source. */
    public String name() {
        return givenName().text();
    }

    /** The property that gave the name, or that would give it. */
    public String nameProperty() {
        return givenName().property();
    }

    private GivenSetting givenName() {
        return Objects.requireNonNull(given.get(DataSourceSettings.NAME.key()));
    }

    /**
     * Sets all of them.
     *
     * @throws dev.reservoir.core.SettingException for a value that is not allowed, naming its property
     */
    public void apply(ReservoirDataSourceBuilder builder) {
        given.forEach((key, setting) -> builder.property(key, setting.text(), setting.property()));
        driverProperties.forEach(builder::driverProperty);
    }

    @Override
    public String toString() {
        return "ReservoirSettings" + given.keySet();
    }
}
