package dev.reservoir.jdbc.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.core.Targets;
import dev.reservoir.jdbc.FakeDatabase;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.testkit.LogLines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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

    private static Config config(Map<String, String> variables) {
        Config config = new Config();
        Environment.apply(variables, config);
        return config;
    }

    @Test
    void anEmptyEnvironmentLimitsTheRateAndStaggersTheStart() {
        Config config = config(Map.of());

        assertThat(config.connectionRateLimit).isEqualTo(10.0);
        assertThat(config.connectionBurstLimit).isEqualTo(100);
        assertThat(config.staggeredStartup).isTrue();
        assertThat(config.staggeredStartupMaxDelay).isEqualTo(Duration.ofSeconds(5));
        assertThat(config.reservoirMode).isFalse();
        assertThat(config.targets(Runnable::run)).isEqualTo(new Targets(10, 0, 0, 0));
        assertThat(config.baseLifetime).isEqualTo(Duration.ofMinutes(11));
        assertThat(config.lifetimeJitter).isEqualTo(Duration.ofMinutes(2));
        assertThat(config.guardWindow).isEqualTo(Duration.ofSeconds(45));
    }

    @Test
    void everyVariableIsRead() {
        Config config = config(Map.of(
                "DSQL_RESERVOIR_ENABLED", "true",
                "DSQL_RESERVOIR_TARGET_READY", "50",
                "DSQL_RESERVOIR_LOW_WATERMARK", "25",
                "DSQL_RESERVOIR_BASE_LIFETIME", "12m",
                "DSQL_RESERVOIR_LIFETIME_JITTER", "PT1M",
                "DSQL_RESERVOIR_GUARD_WINDOW", "30s",
                "DSQL_CONNECTION_RATE_LIMIT", "20",
                "DSQL_CONNECTION_BURST_LIMIT", "7",
                "DSQL_STAGGERED_STARTUP", "false",
                "DSQL_STAGGERED_STARTUP_MAX_DELAY", "1500ms"));

        assertThat(config.reservoirMode).isTrue();
        assertThat(config.targets(Runnable::run)).isEqualTo(new Targets(50, 50, 25, 0));
        assertThat(config.baseLifetime).isEqualTo(Duration.ofMinutes(12));
        assertThat(config.lifetimeJitter).isEqualTo(Duration.ofMinutes(1));
        assertThat(config.guardWindow).isEqualTo(Duration.ofSeconds(30));
        assertThat(config.connectionRateLimit).isEqualTo(20.0);
        assertThat(config.connectionBurstLimit).isEqualTo(7);
        assertThat(config.staggeredStartup).isFalse();
        assertThat(config.staggeredStartupMaxDelay).isEqualTo(Duration.ofMillis(1500));
    }

    @Test
    void anEmptyVariableCountsAsNotSet() {
        Config config = config(Map.of(
                "DSQL_RESERVOIR_ENABLED", "true",
                "DSQL_RESERVOIR_TARGET_READY", "",
                "DSQL_RESERVOIR_PASSWORD", "",
                "DSQL_CONNECTION_RATE_LIMIT", " "));

        assertThat(config.login.secret()).isNull();
        assertThat(config.targetReady).isNull();
        assertThat(config.connectionRateLimit).isEqualTo(10.0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"true", "TRUE", "True", "t", "T", "1", " true "})
    void aClearYesEnables(String text) {
        assertThat(ReservoirDataSource.fromEnvironment(Map.of("DSQL_RESERVOIR_ENABLED", text))
                        .isReservoirMode())
                .isTrue();
    }

    @Test
    void everySettingThatCanBeTextHasAVariable() {
        Map<String, String> variables = new HashMap<>(Map.of("DSQL_RESERVOIR_ENABLED", "true"));
        Map<String, String> given = new HashMap<>();
        Config example = new Config();
        example.autoCommit = false;
        example.readOnly = true;
        example.transactionIsolation = Connection.TRANSACTION_SERIALIZABLE;
        SettingKeys.all().forEach(setting -> {
            String text = setting.text(example);
            given.put(setting.key(), text == null ? "7" : text);
            variables.put(Environment.variable(setting.key()), given.get(setting.key()));
        });

        Config config = config(variables);

        assertThat(variables).hasSize(given.size() + 1);
        SettingKeys.all()
                .forEach(setting -> assertThat(setting.text(config))
                        .as(Environment.variable(setting.key()))
                        .satisfiesAnyOf(
                                text -> assertThat(text).isEqualTo(given.get(setting.key())),
                                text -> assertThat(Double.valueOf(text))
                                        .isEqualTo(Double.valueOf(given.get(setting.key())))));
    }

    @ParameterizedTest
    @CsvSource({
        "maxOpen, DSQL_RESERVOIR_MAX_OPEN",
        "acquireTimeout, DSQL_RESERVOIR_ACQUIRE_TIMEOUT",
        "initialFillTimeout, DSQL_RESERVOIR_INITIAL_FILL_TIMEOUT",
        "password, DSQL_RESERVOIR_PASSWORD",
        "jmx, DSQL_RESERVOIR_JMX",
        "targetReady, DSQL_RESERVOIR_TARGET_READY",
        "connectionRateLimit, DSQL_CONNECTION_RATE_LIMIT",
        "staggeredStartupMaxDelay, DSQL_STAGGERED_STARTUP_MAX_DELAY"
    })
    void aVariablesNameFollowsFromTheSettingsKeyUnlessItHadOneBefore(String key, String variable) {
        assertThat(Environment.variable(key)).isEqualTo(variable);
    }

    @Test
    void theDocumentationNamesTheVariableOfEverySetting() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "configuration.md"));
        assertThat(SettingKeys.all())
                .allSatisfy(setting -> assertThat(page)
                        .contains("| `" + setting.key() + "` | `" + Environment.variable(setting.key()) + "` |"));
    }

    @Test
    void aTargetAloneIsTheSizeToo() {
        Config config = config(Map.of("DSQL_RESERVOIR_ENABLED", "true", "DSQL_RESERVOIR_TARGET_READY", "50"));

        assertThat(config.targets(Runnable::run)).isEqualTo(new Targets(50, 50, 50, 0));
    }

    @ParameterizedTest
    @ValueSource(strings = {"false", "", "yes"})
    void withoutReservoirModeConnectionsAreOpenedWhenTheyAreAskedFor(String enabled) throws SQLException {
        FakeDatabase database = new FakeDatabase();
        try (ReservoirDataSource dataSource = ReservoirDataSource.fromEnvironment(Map.of(
                        "DSQL_RESERVOIR_ENABLED", enabled,
                        "DSQL_RESERVOIR_TARGET_READY", "20",
                        "DSQL_RESERVOIR_MIN_OPEN", "5",
                        "DSQL_STAGGERED_STARTUP", "false"))
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
                        Map.of("DSQL_STAGGERED_STARTUP", "false"))
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
            config(Map.of("DSQL_RESERVOIR_ENABLED", "yes"));

            assertThat(log.lines())
                    .containsExactly(
                            "WARN Reservoir: environment variable counts as false  key=DSQL_RESERVOIR_ENABLED"
                                    + " value=\"yes\" allowed=\"true or false\"",
                            "INFO Reservoir mode not enabled, connections are opened when they are asked for"
                                    + "  key=DSQL_RESERVOIR_ENABLED");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"false", "0", "f", "", "yes", "on", "tRuE", "2", "enabled"})
    void anythingElseDoesNot(String text) {
        assertThat(ReservoirDataSource.fromEnvironment(Map.of("DSQL_RESERVOIR_ENABLED", text))
                        .isReservoirMode())
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "DSQL_RESERVOIR_TARGET_READY | fifty | a whole number",
                "DSQL_RESERVOIR_BASE_LIFETIME | 11 | a duration such as",
                "DSQL_CONNECTION_RATE_LIMIT | x | a number",
                "DSQL_STAGGERED_STARTUP | maybe | true or false"
            })
    void aValueThatCannotBeReadIsRefusedUnderTheVariablesName(String variable, String value, String allowed) {
        assertThatThrownBy(() -> config(Map.of(variable, value)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(variable + " is \"" + value + "\"; allowed: " + allowed);
    }

    @Test
    void whatIsReplacedOrRefusedLaterIsNamedByTheVariable() {
        Config config = config(Map.of("DSQL_RESERVOIR_GUARD_WINDOW", "-1s", "DSQL_CONNECTION_RATE_LIMIT", "0"));
        config.url = "jdbc:fake:none";
        try (LogLines log = new LogLines()) {
            config.settings(Runnable::run);

            assertThat(log.lines())
                    .containsExactly("WARN Reservoir: setting replaced  key=DSQL_RESERVOIR_GUARD_WINDOW value=-1s"
                            + " allowed=\"0 or more\" used=0s reservoir=null");
        }
        assertThatThrownBy(config::check).hasMessageStartingWith("DSQL_CONNECTION_RATE_LIMIT is 0.0; allowed:");
    }

    @Test
    void whatTheEngineRefusesIsNamedByTheVariableToo() {
        assertThatThrownBy(() -> config(Map.of(
                                "DSQL_RESERVOIR_GUARD_WINDOW", "20m",
                                "DSQL_RESERVOIR_BASE_LIFETIME", "11m"))
                        .settings(Runnable::run))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("DSQL_RESERVOIR_GUARD_WINDOW is 20m0s; allowed: less than DSQL_RESERVOIR_BASE_LIFETIME"
                        + " (11m0s) minus half of lifetimeJitter (2m0s)");
        assertThatThrownBy(() -> config(Map.of("DSQL_RESERVOIR_ENABLED", "true", "DSQL_RESERVOIR_TARGET_READY", "-5"))
                        .targets(Runnable::run))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("DSQL_RESERVOIR_TARGET_READY is -5; allowed: 0 to 10");
    }

    @Test
    void unknownVariablesAreMentionedButNotThoseOfOthers() {
        try (LogLines log = new LogLines()) {
            config(Map.of(
                    "DSQL_RESERVOIR_ENABLED", "true",
                    "DSQL_DISTRIBUTED_CONN_LEASE_ENABLED", "true",
                    "DSQL_RESERVOIR_GARD_WINDOW", "1s",
                    "DSQL_OTHER", "x",
                    "PATH", "/bin"));

            assertThat(log.lines())
                    .containsExactly(
                            "WARN Reservoir: environment variable not known, ignored  key=DSQL_RESERVOIR_GARD_WINDOW"
                                    + " nearest=DSQL_RESERVOIR_GUARD_WINDOW");
        }
    }
}
