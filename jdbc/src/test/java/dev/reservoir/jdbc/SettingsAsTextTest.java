package dev.reservoir.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.core.Exhaustion;
import dev.reservoir.core.util.DurationText;
import dev.reservoir.jdbc.config.Config;
import dev.reservoir.jdbc.config.DataSourceSettings;
import dev.reservoir.jdbc.config.Setting;
import java.beans.Introspector;
import java.beans.PropertyDescriptor;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Settings by properties. Builder, bean and properties have the same settings. */
class SettingsAsTextTest {
    private static final Set<String> NOT_TEXT = Set.of(
            "build",
            "connectErrorRule",
            "connectionReset",
            "dataSource",
            "driverProperties",
            "driverProperty",
            "environment",
            "isReservoirMode",
            "leases",
            "onlyTransactionIsolation",
            "permits",
            "properties",
            "property",
            "serverAgeLimit");

    @Test
    void everySettingHasItsKeyItsBuilderMethodAndItsSetter() throws Exception {
        Set<String> keys = new TreeSet<>(DataSourceSettings.byKey().keySet());
        Set<String> ofBuilder = Arrays.stream(ReservoirDataSourceBuilder.class.getMethods())
                .filter(m -> m.getDeclaringClass() != Object.class)
                .map(Method::getName)
                .filter(name -> !NOT_TEXT.contains(name))
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> ofBean = Arrays.stream(
                        Introspector.getBeanInfo(DataSourceBean.class).getPropertyDescriptors())
                .filter(p -> p.getWriteMethod() != null)
                .map(PropertyDescriptor::getName)
                .filter(name -> !NOT_TEXT.contains(name))
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(ofBuilder).isEqualTo(keys);
        assertThat(ofBean).isEqualTo(keys);
    }

    /** Values that differ from every default and from each other, so that a method that sets the wrong one is found. */
    private static final Map<String, String> OTHER_VALUES = new TreeMap<>();

    static {
        for (Setting<?> setting : DataSourceSettings.byKey().values()) {
            OTHER_VALUES.put(setting.key(), otherValue(setting, OTHER_VALUES.size()));
        }
    }

    private static String otherValue(Setting<?> setting, int number) {
        Class<?> type = setting.type().value();
        String byDefault = String.valueOf(setting.text(new Config()));
        if (setting == DataSourceSettings.TRANSACTION_ISOLATION) {
            return "TRANSACTION_SERIALIZABLE";
        }
        if (type == Integer.class) {
            return Integer.toString(200 + number);
        }
        if (type == Double.class) {
            return "12.5";
        }
        if (type == Duration.class) {
            return DurationText.format(Duration.ofHours(1).plusSeconds(number));
        }
        if (type == Boolean.class) {
            return Boolean.toString(!Boolean.parseBoolean(byDefault));
        }
        return Arrays.stream(type.isEnum() ? type.getEnumConstants() : new Object[] {"com.example." + setting.key()})
                .map(Object::toString)
                .filter(value -> !value.equals(byDefault))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void everyKeyWritesWhatItReads() {
        Config config = new Config();
        Config defaults = new Config();

        OTHER_VALUES.forEach((key, value) -> config.setText(key, value));

        for (Setting<?> setting : DataSourceSettings.byKey().values()) {
            assertThat(setting.text(config))
                    .as(setting.key())
                    .isEqualTo(OTHER_VALUES.get(setting.key()))
                    .isNotEqualTo(setting.text(defaults));
        }
    }

    @Test
    void everySetterWritesWhatItsGetterAndItsKeySay() throws Exception {
        ReservoirDataSource bean = new ReservoirDataSource();
        List<PropertyDescriptor> properties = Arrays.stream(
                        Introspector.getBeanInfo(ReservoirDataSource.class).getPropertyDescriptors())
                .filter(p -> OTHER_VALUES.containsKey(p.getName()))
                .toList();
        assertThat(properties).hasSameSizeAs(OTHER_VALUES.keySet());

        org.springframework.beans.BeanWrapperImpl wrapper = new org.springframework.beans.BeanWrapperImpl(bean);
        OTHER_VALUES.forEach(wrapper::setPropertyValue);

        for (Setting<?> setting : DataSourceSettings.byKey().values()) {
            assertThat(setting.text(bean.config)).as(setting.key()).isEqualTo(OTHER_VALUES.get(setting.key()));
        }
        for (PropertyDescriptor property : properties) {
            if (property.getName().equals("password")) {
                assertThat(property.getReadMethod())
                        .as("a way to read the password")
                        .isNull();
            } else {
                assertThat(property.getReadMethod().invoke(bean))
                        .as(property.getName())
                        .hasToString(OTHER_VALUES.get(property.getName()));
            }
        }
    }

    @Test
    void everyBuilderMethodWritesItsOwnSetting() throws Exception {
        ReservoirDataSourceBuilder builder = ReservoirDataSource.builder();
        for (Map.Entry<String, String> entry : OTHER_VALUES.entrySet()) {
            Method method = Arrays.stream(ReservoirDataSourceBuilder.class.getMethods())
                    .filter(m -> m.getName().equals(entry.getKey()) && takesValue(m))
                    .findFirst()
                    .orElseThrow();
            method.invoke(builder, value(method.getParameterTypes()[0], entry.getValue()));
        }
        java.lang.reflect.Field field = ReservoirDataSourceBuilder.class.getDeclaredField("config");
        field.setAccessible(true);
        Config config = (Config) field.get(builder);

        for (Setting<?> setting : DataSourceSettings.byKey().values()) {
            assertThat(setting.text(config)).as(setting.key()).isEqualTo(OTHER_VALUES.get(setting.key()));
        }
    }

    /** Excludes setters that take an object instead of the name of its class. */
    private static boolean takesValue(Method method) {
        return !method.getParameterTypes()[0].isInterface();
    }

    private static Object value(Class<?> type, String text) {
        if (type == int.class) {
            return Integer.valueOf(text);
        }
        if (type == double.class) {
            return Double.valueOf(text);
        }
        if (type == boolean.class) {
            return Boolean.valueOf(text);
        }
        if (type == Duration.class) {
            return DurationText.parse("value", text);
        }
        for (Object constant : type.isEnum() ? type.getEnumConstants() : new Object[0]) {
            if (constant.toString().equals(text)) {
                return constant;
            }
        }
        return text;
    }

    @ParameterizedTest
    @CsvSource({
        "TRANSACTION_READ_COMMITTED, TRANSACTION_READ_COMMITTED",
        "READ_UNCOMMITTED, TRANSACTION_READ_UNCOMMITTED",
        "repeatable_read, TRANSACTION_REPEATABLE_READ",
        "8, TRANSACTION_SERIALIZABLE",
        "4096, 4096"
    })
    void anIsolationIsANameOrANumber(String text, String shown) {
        ReservoirDataSource bean = new ReservoirDataSource();

        bean.setTransactionIsolation(text);

        assertThat(bean.getTransactionIsolation()).isEqualTo(shown);
    }

    @Test
    void propertiesOfTheDriverBeginWithTheirPrefix() {
        Config config = new Config();

        config.setText("driver.ApplicationName", "orders");

        assertThat(config.driverProperties()).containsExactly(Map.entry("ApplicationName", "orders"));
    }

    @Test
    void propertiesMayHoldOtherThingsThanTexts() {
        Properties properties = new Properties();
        properties.put("maxOpen", 7);
        properties.put("acquireTimeout", Duration.ofSeconds(3));
        properties.put("jmx", false);
        properties.put("exhaustion", Exhaustion.FAIL);
        properties.setProperty("url", "jdbc:fake:other");
        properties.setProperty("driverClassName", FakeDatabase.FakeDriver.class.getName());
        FakeDatabase.FakeDriver.database("other");
        try (ReservoirDataSource dataSource =
                ReservoirDataSource.fromProperties(properties).build()) {
            assertThat(dataSource.getMaxOpen()).isEqualTo(7);
            assertThat(dataSource.getAcquireTimeout()).isEqualTo("3s");
            assertThat(dataSource.isJmx()).isFalse();
            assertThat(dataSource.getExhaustion()).isEqualTo(Exhaustion.FAIL);
        }
    }

    @Test
    void anErrorNamesTheSettingAsAFrameworkGotIt() {
        assertThatThrownBy(() -> ReservoirDataSource.builder().property("baseLifetime", "soon", "app.base-lifetime"))
                .hasMessageStartingWith("app.base-lifetime is \"soon\"; allowed: a duration");
        assertThatThrownBy(() -> ReservoirDataSource.builder().property("maxOpn", "1", "app.max-opn"))
                .hasMessage("app.max-opn is not a setting; the nearest that is: maxOpen");
        assertThatThrownBy(() -> ReservoirDataSource.builder()
                        .url("jdbc:none:")
                        .property("maxOpen", "5", "app.max-open")
                        .property("targetReady", "6", "app.target-ready")
                        .build())
                .hasMessage("app.target-ready is 6; allowed: 0 to 5");
    }

    @ParameterizedTest
    @CsvSource({
        "maxOpn, maxOpen",
        "maximumOpen, maxOpen",
        "max-open, maxOpen",
        "BASELIFETIME, baseLifetime",
        "user, username",
        "userName, username",
        "target_ready, targetReady",
        "driver., driverClassName"
    })
    void anUnknownKeyIsRefusedWithTheNearestKnownOne(String key, String nearest) {
        Properties properties = new Properties();
        properties.setProperty(key, "1");

        assertThatThrownBy(() -> ReservoirDataSource.fromProperties(properties))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(key + " is not a setting; the nearest that is: " + nearest);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "maxOpen | ten | a whole number",
                "maxOpen | 1.5 | a whole number",
                "connectionRateLimit | fast | a number",
                "jmx | yes | true or false",
                "validation | always | background, checkout, idle",
                "exhaustion | panic | wait, fail, overflow",
                "autoCommit | maybe | true or false",
                "transactionIsolation | strict | READ_UNCOMMITTED, READ_COMMITTED, REPEATABLE_READ, SERIALIZABLE, each"
                        + " with or without TRANSACTION_ before it, or the number of a level, 1 or more",
                "transactionIsolation | 0 | READ_UNCOMMITTED, READ_COMMITTED, REPEATABLE_READ, SERIALIZABLE, each"
                        + " with or without TRANSACTION_ before it, or the number of a level, 1 or more",
                "baseLifetime | 11 | a duration such as 11m, 1h30m, 45s, 1.5s, 250ms, 100us, 5ns or PT11M"
            })
    void aValueThatCannotBeReadIsRefusedWithKeyValueAndWhatIsAllowed(String key, String value, String allowed) {
        assertThatThrownBy(() -> new Config().setText(key, value))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(key + " is \"" + value + "\"; allowed: " + allowed);
    }
}
