package dev.reservoir.spring.boot.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import dev.reservoir.testkit.LogLines;
import java.beans.Introspector;
import java.beans.PropertyDescriptor;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

/** Properties of HikariCP are taken over, each with a log line. */
class HikariPropertiesTest {
    private final Map<String, Object> properties = new HashMap<>();
    private final LogLines log = new LogLines();

    @AfterEach
    void close() {
        log.close();
    }

    private Map<String, GivenSetting> read() {
        return properties().read("bean").given();
    }

    private ReservoirProperties properties() {
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addFirst(new MapPropertySource("properties", properties));
        return new ReservoirProperties(environment);
    }

    @ParameterizedTest
    @CsvSource({
        "pool-name, orders, name, orders",
        "maximum-pool-size, 20, maxOpen, 20",
        "maximumPoolSize, 20, maxOpen, 20",
        "minimum-idle, 5, targetReady, 5",
        "connection-timeout, 5000, acquireTimeout, 5s",
        "connection-timeout, 0, acquireTimeout, 8736h0m0s",
        "max-lifetime, 1800000, baseLifetime, 28m0s",
        "max-lifetime, 1800000, lifetimeJitter, 4m0s",
        "max-lifetime, 60000, guardWindow, 6s",
        "max-lifetime, 0, baseLifetime, 8153h36m0s",
        "idle-timeout, 600000, idleTimeout, 10m0s",
        "keepalive-time, 120000, keepalive, 2m0s",
        "validation-timeout, 3000, validationTimeout, 3s",
        "leak-detection-threshold, 30000, leakDetectionThreshold, 30s",
        "initialization-fail-timeout, -1, failFast, false",
        "initialization-fail-timeout, -1, initialFillTimeout, 0s",
        "initialization-fail-timeout, 10000, initialFillTimeout, 10s",
        "connection-test-query, select 1, validationQuery, select 1",
        "auto-commit, false, autoCommit, false",
        "transaction-isolation, TRANSACTION_SERIALIZABLE, transactionIsolation, TRANSACTION_SERIALIZABLE",
        "register-mbeans, true, jmx, true",
    })
    void aPropertyBecomesASetting(String name, String value, String key, String text) {
        properties.put("spring.datasource.hikari." + name, value);
        assertThat(read().get(key).text()).isEqualTo(text);
        assertThat(log.lines())
                .anyMatch(line -> line.startsWith("INFO Reservoir: spring.datasource.hikari.")
                        && line.contains(" is used as " + PropertyNames.of(key)));
    }

    @Test
    void aLineNamesBothPropertiesAndTheValue() {
        properties.put("spring.datasource.hikari.maximum-pool-size", "20");
        read();
        assertThat(log.lines())
                .containsExactly("INFO Reservoir: spring.datasource.hikari.maximum-pool-size is used as"
                        + " spring.datasource.reservoir.max-open=20; rename it");
    }

    @Test
    void aTextIsNotLogged() {
        properties.put("spring.datasource.hikari.connection-init-sql", "set role = 'hidden-value'");
        properties.put("spring.datasource.hikari.password", "hidden-value");
        properties.put("spring.datasource.hikari.data-source-properties.sslPassword", "hidden-value");
        ReservoirProperties read = properties();
        ReservoirSettings settings = read.read("bean");
        assertThat(settings.driverProperties()).containsEntry("sslPassword", "hidden-value");
        assertThat(read.login()).containsEntry("password", "hidden-value");
        assertThat(log.lines()).hasSize(3).noneMatch(line -> line.contains("hidden-value"));
    }

    @Test
    void aPropertyOfOursGoesBefore() {
        properties.put("spring.datasource.hikari.maximum-pool-size", "20");
        properties.put("spring.datasource.reservoir.max-open", "30");
        assertThat(read().get("maxOpen").text()).isEqualTo("30");
        assertThat(log.lines())
                .containsExactly("INFO Reservoir: spring.datasource.hikari.maximum-pool-size is ignored, because"
                        + " spring.datasource.reservoir.max-open is set");
    }

    @ParameterizedTest
    @CsvSource({"hikari.maximum-pool-size, 4, 4", "reservoir.max-open, 4, 4", "hikari.read-only, false, 10"})
    void minimumIdleAboveTheMaximumIsTheMaximum(String name, String value, String used) {
        properties.put("spring.datasource." + name, value);
        properties.put("spring.datasource.hikari.minimum-idle", "20");
        assertThat(read().get("targetReady").text()).isEqualTo(used);
        assertThat(log.lines())
                .contains("INFO Reservoir: spring.datasource.hikari.minimum-idle=20 is more than the maximum, so"
                        + " spring.datasource.reservoir.target-ready=" + used + " is used");
    }

    /** Only HikariCP's own property is lowered. Ours above the maximum is a mistake, which the data source refuses. */
    @Test
    void targetReadyAboveTheMaximumStays() {
        properties.put("spring.datasource.hikari.maximum-pool-size", "4");
        properties.put("spring.datasource.reservoir.target-ready", "20");
        assertThat(read().get("targetReady").text()).isEqualTo("20");
    }

    @ParameterizedTest
    @CsvSource({"maximum-pool-sise", "data-source-properties-x"})
    void anUnknownPropertyIsAWarning(String name) {
        properties.put("spring.datasource.hikari." + name, "20");
        assertThat(read()).doesNotContainKey("maxOpen");
        assertThat(log.lines())
                .containsExactly("WARN Reservoir: spring.datasource.hikari." + name + " is ignored: it is unknown");
    }

    @Test
    void aPropertyWithoutACounterpartSaysWhy() {
        properties.put("spring.datasource.hikari.allow-pool-suspension", "true");
        read();
        assertThat(log.lines())
                .containsExactly("INFO Reservoir: spring.datasource.hikari.allow-pool-suspension is ignored:"
                        + " a reservoir can always be paused");
    }

    @ParameterizedTest
    @CsvSource({"5s", "-5", "x"})
    void aNumberOfMillisecondsIsChecked(String value) {
        properties.put("spring.datasource.hikari.connection-timeout", value);
        assertThatThrownBy(this::read)
                .hasMessage("spring.datasource.hikari.connection-timeout is \"" + value
                        + "\"; allowed: a number of milliseconds, 0 or more");
    }

    /** The table knows everything that Spring Boot can set on HikariCP's configuration as text. */
    @Test
    void everyPropertyOfHikariIsKnown() throws Exception {
        Set<String> objects = Set.of(
                "dataSource",
                "dataSourceProperties",
                "metricRegistry",
                "metricsTrackerFactory",
                "healthCheckRegistry",
                "scheduledExecutor",
                "threadFactory",
                "credentials",
                "credentialsProvider",
                "exceptionOverride");
        List<String> unknown = Arrays.stream(
                        Introspector.getBeanInfo(HikariConfig.class).getPropertyDescriptors())
                .filter(property -> property.getWriteMethod() != null)
                .map(PropertyDescriptor::getName)
                .filter(name ->
                        !objects.contains(name) && HikariProperty.find(name).isEmpty())
                .collect(Collectors.toList());
        assertThat(unknown).isEmpty();
    }
}
