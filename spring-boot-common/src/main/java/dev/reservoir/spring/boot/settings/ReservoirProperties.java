package dev.reservoir.spring.boot.settings;

import dev.reservoir.core.SettingException;
import dev.reservoir.core.util.NearestName;
import dev.reservoir.jdbc.config.DataSourceSettings;
import dev.reservoir.jdbc.config.Setting;
import dev.reservoir.jdbc.config.SettingType.Methods;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * The properties below {@code spring.datasource.reservoir}: one for each of the {@link DataSourceSettings}, with the
 * same types, checks and messages. Takes over HikariCP's where it has none. Never starts anything.
 */
public final class ReservoirProperties {
    /** The property with settings of the driver, by their own names. */
    public static final String DRIVER_PROPERTIES = "driver-properties";

    /** These are Spring Boot's own, so that connection details replace all of them together. */
    public static final Set<Setting<?>> OF_SPRING_BOOT = Set.of(
            DataSourceSettings.URL,
            DataSourceSettings.DRIVER_CLASS_NAME,
            DataSourceSettings.USERNAME,
            DataSourceSettings.PASSWORD);

    private static final String DSQL = "dsql";
    private static final Bindable<Map<String, String>> TEXTS = Bindable.mapOf(String.class, String.class);

    private final Binder binder;
    private final HikariProperties hikari;

    /** Reads from this environment. */
    public ReservoirProperties(Environment environment) {
        binder = Binder.get(environment);
        hikari = new HikariProperties(binder);
    }

    /** The settings that have a property. */
    public static List<Setting<?>> settings() {
        return DataSourceSettings.byKey().values().stream()
                .filter(setting -> !OF_SPRING_BOOT.contains(setting))
                .collect(Collectors.toUnmodifiableList());
    }

    /**
     * Reads all properties, and the defaults that differ in Spring Boot. Logs what it takes over from HikariCP.
     *
     * @param beanName names the data source if no property does
     * @throws SettingException for an unknown property and for a value of HikariCP that is not allowed
     */
    public ReservoirSettings read(String beanName) {
        refuseUnknown();
        Map<String, GivenSetting> given = new LinkedHashMap<>();
        for (Setting<?> setting : settings()) {
            String text = text(setting);
            if (text != null) {
                given.put(setting.key(), new GivenSetting(text, PropertyNames.of(setting.key())));
            }
        }
        hikari.takeOver(given);
        orElse(given, DataSourceSettings.NAME, PropertyNames.DATA_SOURCE + "name", beanName);
        orElse(given, DataSourceSettings.JMX, "spring.jmx.enabled", "false");
        Map<String, String> driver = new LinkedHashMap<>(hikari.driverProperties());
        binder.bind(PropertyNames.RESERVOIR + DRIVER_PROPERTIES, TEXTS).ifBound(driver::putAll);
        return new ReservoirSettings(given, driver);
    }

    private void orElse(Map<String, GivenSetting> given, Setting<?> setting, String property, String byDefault) {
        String text = binder.bind(property, String.class).orElse(byDefault);
        given.putIfAbsent(setting.key(), new GivenSetting(text, property));
    }

    /** Whether the class of a data source opens the connections, so that there need not be a URL. */
    public boolean hasDataSourceClass() {
        return text(DataSourceSettings.DATA_SOURCE_CLASS_NAME) != null || hikari.hasDataSourceClass();
    }

    /** HikariCP's properties of the login, by the key of the setting. They go before Spring Boot's own. */
    public Map<String, String> login() {
        return hikari.login();
    }

    private @Nullable String text(Setting<?> setting) {
        String property = PropertyNames.of(setting.key());
        if (setting.type().methods() == Methods.CLASS_NAMES) {
            return binder.bind(property, Bindable.listOf(String.class))
                    .map(names -> String.join(",", names))
                    .orElse(null);
        }
        String text = binder.bind(property, String.class).orElse(null);
        // This one says which data source is started, and there a blank value means none.
        boolean isNone = setting == DataSourceSettings.DATA_SOURCE_CLASS_NAME && !StringUtils.hasText(text);
        return isNone ? null : text;
    }

    private void refuseUnknown() {
        Map<String, String> texts = binder.bind(
                        PropertyNames.RESERVOIR.substring(0, PropertyNames.RESERVOIR.length() - 1), TEXTS)
                .orElse(Map.of());
        List<String> known = new ArrayList<>(settings().stream()
                .map(setting -> PropertyNames.kebab(setting.key()))
                .toList());
        known.add(DRIVER_PROPERTIES);
        Arrays.stream(DsqlProperty.values()).forEach(property -> known.add(DSQL + "." + property.key()));
        Set<String> uniform = known.stream().map(PropertyNames::uniform).collect(Collectors.toSet());
        for (String name : texts.keySet()) {
            String compared = PropertyNames.uniform(name);
            if (!uniform.contains(compared) && !PropertyNames.isBelow(name, DRIVER_PROPERTIES)) {
                throw unknown(name, compared, known);
            }
        }
    }

    private static SettingException unknown(String name, String compared, List<String> known) {
        String property = PropertyNames.RESERVOIR + name;
        for (Setting<?> setting : OF_SPRING_BOOT) {
            if (PropertyNames.uniform(setting.key()).equals(compared)) {
                return new SettingException(
                        property,
                        "not a setting",
                        "only as " + PropertyNames.DATA_SOURCE + PropertyNames.kebab(setting.key()));
            }
        }
        return new SettingException(
                property, "not a setting", "the nearest is " + PropertyNames.RESERVOIR + NearestName.of(name, known));
    }
}
