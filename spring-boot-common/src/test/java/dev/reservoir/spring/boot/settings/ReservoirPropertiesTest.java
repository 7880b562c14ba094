package dev.reservoir.spring.boot.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.core.SettingException;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.config.Setting;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Properties become settings, and mistakes in them are refused by name. */
class ReservoirPropertiesTest {
    private final Map<String, Object> properties = new HashMap<>();
    private final Map<String, Object> variables = new HashMap<>();

    private ReservoirSettings read() {
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addFirst(new MapPropertySource("properties", properties));
        environment
                .getPropertySources()
                .addFirst(new SystemEnvironmentPropertySource("test-systemEnvironment", variables));
        ConfigurationPropertySources.attach(environment);
        return new ReservoirProperties(environment).read("bean");
    }

    private String text(String key) {
        GivenSetting given = read().given().get(key);
        return given == null ? null : given.text();
    }

    @Test
    void everySettingHasAProperty() {
        assertThat(ReservoirProperties.settings()).hasSizeGreaterThan(40);
        for (Setting<?> setting : ReservoirProperties.settings()) {
            properties.clear();
            properties.put(PropertyNames.of(setting.key()), "x");
            assertThat(text(setting.key())).as(setting.key()).isEqualTo("x");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "spring.datasource.reservoir.max-open",
        "spring.datasource.reservoir.maxOpen",
        "spring.datasource.reservoir.max_open",
        "spring.datasource.reservoir.MAXOPEN"
    })
    void aNameMayBeWrittenAsSpringBootAllows(String name) {
        properties.put(name, 7);
        assertThat(text("maxOpen")).isEqualTo("7");
    }

    @ParameterizedTest
    @CsvSource({"SPRING_DATASOURCE_RESERVOIR_MAXOPEN", "SPRING_DATASOURCE_RESERVOIR_MAX_OPEN"})
    void anEnvironmentVariableGoesBeforeAProperty(String name) {
        variables.put(name, "8");
        properties.put("spring.datasource.reservoir.max-open", "7");
        assertThat(text("maxOpen")).isEqualTo("8");
    }

    @Test
    void classNamesMayBeAList() {
        properties.put("spring.datasource.reservoir.listener[0]", "a.A");
        properties.put("spring.datasource.reservoir.listener[1]", "b.B");
        assertThat(text("listener")).isEqualTo("a.A,b.B");
    }

    @Test
    void theNameComesFromThePropertyThenFromSpringBootThenFromTheBean() {
        assertThat(read().name()).isEqualTo("bean");
        properties.put("spring.datasource.name", "orders");
        assertThat(read().name()).isEqualTo("orders");
        properties.put("spring.datasource.reservoir.name", "stock");
        assertThat(read().name()).isEqualTo("stock");
    }

    @Test
    void jmxFollowsSpringBootUnlessItIsSet() {
        assertThat(text("jmx")).isEqualTo("false");
        properties.put("spring.jmx.enabled", "true");
        assertThat(text("jmx")).isEqualTo("true");
        properties.put("spring.datasource.reservoir.jmx", "false");
        assertThat(text("jmx")).isEqualTo("false");
    }

    @ParameterizedTest
    @CsvSource({
        "max-opn, the nearest is spring.datasource.reservoir.max-open",
        "pool-size, the nearest is spring.datasource.reservoir.",
        "driver-properties-x, the nearest is spring.datasource.reservoir.driver-properties",
        "dsql.endpont, the nearest is spring.datasource.reservoir.dsql.endpoint",
        "url, only as spring.datasource.url",
        "password, only as spring.datasource.password",
        "driverClassName, only as spring.datasource.driver-class-name"
    })
    void anUnknownPropertyIsRefused(String name, String allowed) {
        properties.put("spring.datasource.reservoir." + name, "secret-value");
        assertThatThrownBy(this::read)
                .isInstanceOf(SettingException.class)
                .hasMessageStartingWith(
                        "spring.datasource.reservoir." + name + " is not a setting; allowed: " + allowed)
                .hasMessageNotContaining("secret-value");
    }

    @ParameterizedTest
    @CsvSource({
        "driver-properties.ApplicationName, ApplicationName",
        "driverProperties.ApplicationName, ApplicationName",
        "driver-properties[oracle.net.x], oracle.net.x"
    })
    void aPropertyOfTheDriverKeepsItsName(String name, String key) {
        properties.put("spring.datasource.reservoir." + name, "orders");
        assertThat(read().driverProperties()).containsExactly(Map.entry(key, "orders"));
    }

    @Test
    void aPropertyOfTheDriverMayBeAVariable() {
        variables.put("SPRING_DATASOURCE_RESERVOIR_DRIVERPROPERTIES_SSLMODE", "require");
        assertThat(read().driverProperties()).containsExactly(Map.entry("sslmode", "require"));
    }

    @Test
    void aWrongValueIsRefusedByItsProperty() {
        properties.put("spring.datasource.reservoir.acquire-timeout", "5000");
        ReservoirSettings settings = read();
        assertThatThrownBy(() -> settings.apply(ReservoirDataSource.builder()))
                .hasMessageStartingWith("spring.datasource.reservoir.acquire-timeout is \"5000\"; allowed: a duration");
    }

    @Test
    void nothingIsShownThatMayBeASecret() {
        properties.put("spring.datasource.reservoir.connection-init-sql", "set role = 'hidden-value'");
        properties.put("spring.datasource.reservoir.driver-properties.sslpassword", "hidden-value");
        ReservoirSettings settings = read();
        assertThat(settings.driverProperties()).containsEntry("sslpassword", "hidden-value");
        assertThat(settings + " " + settings.given()).doesNotContain("hidden-value");
    }
}
