package dev.reservoir.jdbc.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.core.Targets;
import dev.reservoir.jdbc.EnvironmentNames;
import dev.reservoir.jdbc.FakeDatabase;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.testkit.LogLines;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Settings by environment variables. */
class EnvironmentTest {
    private static final Environment ENVIRONMENT = Environment.standard();

    private static Config config(Map<String, String> variables) {
        Config config = new Config();
        ENVIRONMENT.apply(variables, config);
        return config;
    }

    @Test
    void anEmptyEnvironmentLimitsTheRateAndStaggersTheStart() {
        Config config = config(Map.of());

        assertThat(config.get(DataSourceSettings.CONNECTION_RATE_LIMIT)).isEqualTo(10.0);
        assertThat(config.get(DataSourceSettings.CONNECTION_BURST_LIMIT)).isEqualTo(100);
        assertThat(config.get(DataSourceSettings.STAGGERED_STARTUP)).isTrue();
        assertThat(config.get(DataSourceSettings.STAGGERED_STARTUP_MAX_DELAY)).isEqualTo(Duration.ofSeconds(5));
        assertThat(config.reservoirMode).isFalse();
        assertThat(config.targets(Runnable::run)).isEqualTo(new Targets(10, 0, 0, 0));
        assertThat(config.get(DataSourceSettings.BASE_LIFETIME)).isEqualTo(Duration.ofMinutes(11));
        assertThat(config.get(DataSourceSettings.LIFETIME_JITTER)).isEqualTo(Duration.ofMinutes(2));
        assertThat(config.get(DataSourceSettings.GUARD_WINDOW)).isEqualTo(Duration.ofSeconds(45));
    }

    @Test
    void everyVariableIsRead() {
        Config config = config(Map.of(
                "RESERVOIR_ENABLED", "true",
                "RESERVOIR_TARGET_READY", "50",
                "RESERVOIR_LOW_WATERMARK", "25",
                "RESERVOIR_BASE_LIFETIME", "12m",
                "RESERVOIR_LIFETIME_JITTER", "PT1M",
                "RESERVOIR_GUARD_WINDOW", "30s",
                "RESERVOIR_CONNECTION_RATE_LIMIT", "20",
                "RESERVOIR_CONNECTION_BURST_LIMIT", "7",
                "RESERVOIR_STAGGERED_STARTUP", "false",
                "RESERVOIR_STAGGERED_STARTUP_MAX_DELAY", "1500ms"));

        assertThat(config.reservoirMode).isTrue();
        assertThat(config.targets(Runnable::run)).isEqualTo(new Targets(50, 50, 25, 0));
        assertThat(config.get(DataSourceSettings.BASE_LIFETIME)).isEqualTo(Duration.ofMinutes(12));
        assertThat(config.get(DataSourceSettings.LIFETIME_JITTER)).isEqualTo(Duration.ofMinutes(1));
        assertThat(config.get(DataSourceSettings.GUARD_WINDOW)).isEqualTo(Duration.ofSeconds(30));
        assertThat(config.get(DataSourceSettings.CONNECTION_RATE_LIMIT)).isEqualTo(20.0);
        assertThat(config.get(DataSourceSettings.CONNECTION_BURST_LIMIT)).isEqualTo(7);
        assertThat(config.get(DataSourceSettings.STAGGERED_STARTUP)).isFalse();
        assertThat(config.get(DataSourceSettings.STAGGERED_STARTUP_MAX_DELAY)).isEqualTo(Duration.ofMillis(1500));
    }

    @Test
    void anEmptyVariableCountsAsNotSet() {
        Config config = config(Map.of(
                "RESERVOIR_ENABLED", "true",
                "RESERVOIR_TARGET_READY", "",
                "RESERVOIR_PASSWORD", "",
                "RESERVOIR_CONNECTION_RATE_LIMIT", " "));

        assertThat(config.login().secret()).isNull();
        assertThat(config.given(DataSourceSettings.TARGET_READY)).isNull();
        assertThat(config.get(DataSourceSettings.CONNECTION_RATE_LIMIT)).isEqualTo(10.0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"true", "TRUE", "True", "t", "T", "1", " true "})
    void aClearYesEnables(String text) {
        assertThat(ReservoirDataSource.fromEnvironment(Map.of("RESERVOIR_ENABLED", text))
                        .isReservoirMode())
                .isTrue();
    }

    @Test
    void everySettingThatCanBeTextHasAVariable() {
        Map<String, String> variables = new HashMap<>(Map.of("RESERVOIR_ENABLED", "true"));
        Map<String, String> given = new HashMap<>();
        Config example = new Config();
        example.set(DataSourceSettings.AUTO_COMMIT, false);
        example.set(DataSourceSettings.READ_ONLY, true);
        example.set(DataSourceSettings.TRANSACTION_ISOLATION, Connection.TRANSACTION_SERIALIZABLE);
        ENVIRONMENT.byVariable().forEach((variable, setting) -> {
            String text = setting.text(example);
            given.put(setting.key(), text == null || text.equals("Infinity") ? "7" : text);
            variables.put(variable, given.get(setting.key()));
        });

        Config config = config(variables);

        assertThat(given.keySet()).isEqualTo(DataSourceSettings.byKey().keySet());
        assertThat(variables).hasSize(given.size() + 1);
        ENVIRONMENT
                .byVariable()
                .forEach((variable, setting) -> assertThat(setting.text(config))
                        .as(variable)
                        .satisfiesAnyOf(
                                text -> assertThat(text).isEqualTo(given.get(setting.key())),
                                text -> assertThat(Double.valueOf(text))
                                        .isEqualTo(Double.valueOf(given.get(setting.key())))));
    }

    @ParameterizedTest
    @CsvSource({
        "maxOpen, RESERVOIR_MAX_OPEN",
        "acquireTimeout, RESERVOIR_ACQUIRE_TIMEOUT",
        "initialFillTimeout, RESERVOIR_INITIAL_FILL_TIMEOUT",
        "password, RESERVOIR_PASSWORD",
        "jmx, RESERVOIR_JMX",
        "targetReady, RESERVOIR_TARGET_READY",
        "connectionRateLimit, RESERVOIR_CONNECTION_RATE_LIMIT",
        "staggeredStartupMaxDelay, RESERVOIR_STAGGERED_STARTUP_MAX_DELAY"
    })
    void aVariablesNameFollowsFromTheSettingsKey(String key, String variable) {
        assertThat(ENVIRONMENT.byVariable().get(variable).key()).isEqualTo(key);
    }

    @Test
    void aLibraryMayNameTheVariables() {
        EnvironmentNames names = new EnvironmentNames() {
            @Override
            public String prefix() {
                return "SHOP_";
            }

            @Override
            public Map<String, String> exceptions() {
                return Map.of("connectionRateLimit", "RATE_OF_THE_SHOP");
            }

            @Override
            public boolean isOurs(String variable) {
                return variable.contains("SHOP");
            }
        };
        Config config = new Config();
        try (LogLines log = new LogLines()) {
            new Environment(names)
                    .apply(
                            Map.of(
                                    "SHOP_ENABLED", "true",
                                    "SHOP_MAX_OPEN", "7",
                                    "RATE_OF_THE_SHOP", "3",
                                    "RATES_OF_THE_SHOP", "4",
                                    "RESERVOIR_MAX_OPEN", "8"),
                            config);

            assertThat(log.lines())
                    .containsExactly("WARN Reservoir: environment variable not known, ignored  key=RATES_OF_THE_SHOP"
                            + " nearest=RATE_OF_THE_SHOP");
        }
        assertThat(config.reservoirMode).isTrue();
        assertThat(config.get(DataSourceSettings.MAX_OPEN)).isEqualTo(7);
        assertThat(config.get(DataSourceSettings.CONNECTION_RATE_LIMIT)).isEqualTo(3);
    }

    @Test
    void aTargetAloneIsTheSizeToo() {
        Config config = config(Map.of("RESERVOIR_ENABLED", "true", "RESERVOIR_TARGET_READY", "50"));

        assertThat(config.targets(Runnable::run)).isEqualTo(new Targets(50, 50, 50, 0));
    }

    @ParameterizedTest
    @ValueSource(strings = {"false", "", "yes"})
    void withoutReservoirModeConnectionsAreOpenedWhenTheyAreAskedFor(String enabled) throws SQLException {
        FakeDatabase database = new FakeDatabase();
        try (ReservoirDataSource dataSource = ReservoirDataSource.fromEnvironment(Map.of(
                        "RESERVOIR_ENABLED", enabled,
                        "RESERVOIR_TARGET_READY", "20",
                        "RESERVOIR_MIN_OPEN", "5",
                        "RESERVOIR_STAGGERED_STARTUP", "false"))
                .dataSource(database)
                .build()) {
            assertThat(dataSource.getMaxOpen()).as("the size stays").isEqualTo(20);
            assertThat(dataSource.stats().opened()).isZero();
            assertThat(dataSource.stats().opening()).isZero();
            dataSource.getConnection().close();
            assertThat(dataSource.stats().open()).as("what was opened is kept").isPositive();
        }
    }

    @Test
    void whatTheProgramSaysAfterwardsGoesBeforeTheModeOfTheEnvironment() {
        try (ReservoirDataSource dataSource = ReservoirDataSource.fromEnvironment(
                        Map.of("RESERVOIR_STAGGERED_STARTUP", "false"))
                .dataSource(new FakeDatabase())
                .maxOpen(30)
                .targetReady(30)
                .lowWatermark(30)
                .build()) {
            assertThat(dataSource.stats().ready()).isEqualTo(30);
        }
    }

    @Test
    void aModeThatIsNeitherOnNorOffIsOffWithAWarning() {
        try (LogLines log = new LogLines()) {
            config(Map.of("RESERVOIR_ENABLED", "yes"));

            assertThat(log.lines())
                    .containsExactly(
                            "WARN Reservoir: environment variable counts as false  key=RESERVOIR_ENABLED"
                                    + " value=\"yes\" allowed=\"true or false\"",
                            "INFO Reservoir mode not enabled, connections are opened on demand"
                                    + "  key=RESERVOIR_ENABLED");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"false", "0", "f", "", "yes", "on", "tRuE", "2", "enabled"})
    void anythingElseDoesNot(String text) {
        assertThat(ReservoirDataSource.fromEnvironment(Map.of("RESERVOIR_ENABLED", text))
                        .isReservoirMode())
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "RESERVOIR_TARGET_READY | fifty | a whole number",
                "RESERVOIR_BASE_LIFETIME | 11 | a duration such as",
                "RESERVOIR_CONNECTION_RATE_LIMIT | x | a number",
                "RESERVOIR_STAGGERED_STARTUP | maybe | true or false"
            })
    void aValueThatCannotBeReadIsRefusedUnderTheVariablesName(String variable, String value, String allowed) {
        assertThatThrownBy(() -> config(Map.of(variable, value)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(variable + " is \"" + value + "\"; allowed: " + allowed);
    }

    @Test
    void whatIsReplacedOrRefusedLaterIsNamedByTheVariable() {
        Config config = config(Map.of("RESERVOIR_GUARD_WINDOW", "-1s", "RESERVOIR_CONNECTION_RATE_LIMIT", "0"));
        config.set(DataSourceSettings.URL, "jdbc:fake:none");
        try (LogLines log = new LogLines()) {
            config.settings(Runnable::run);

            assertThat(log.lines())
                    .containsExactly("WARN Reservoir: setting replaced  key=RESERVOIR_GUARD_WINDOW value=-1s"
                            + " allowed=\"0 or more\" used=0s reservoir=null");
        }
        assertThatThrownBy(config::check).hasMessageStartingWith("RESERVOIR_CONNECTION_RATE_LIMIT is 0.0; allowed:");
    }

    @Test
    void whatTheEngineRefusesIsNamedByTheVariableToo() {
        assertThatThrownBy(() -> config(Map.of(
                                "RESERVOIR_GUARD_WINDOW", "20m",
                                "RESERVOIR_BASE_LIFETIME", "11m"))
                        .settings(Runnable::run))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("RESERVOIR_GUARD_WINDOW is 20m0s; allowed: less than baseLifetime (11m0s) minus half of"
                        + " lifetimeJitter (2m0s)");
        assertThatThrownBy(() -> config(Map.of("RESERVOIR_ENABLED", "true", "RESERVOIR_TARGET_READY", "-5"))
                        .targets(Runnable::run))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("RESERVOIR_TARGET_READY is -5; allowed: 0 to 10");
    }

    @Test
    void unknownVariablesAreMentionedButNotThoseOfOthers() {
        try (LogLines log = new LogLines()) {
            config(Map.of(
                    "RESERVOIR_ENABLED", "true",
                    "OTHER_CONN_LEASE_ENABLED", "true",
                    "RESERVOIR_GARD_WINDOW", "1s",
                    "OTHER", "x",
                    "PATH", "/bin"));

            assertThat(log.lines())
                    .containsExactly(
                            "WARN Reservoir: environment variable not known, ignored  key=RESERVOIR_GARD_WINDOW"
                                    + " nearest=RESERVOIR_GUARD_WINDOW");
        }
    }
}
