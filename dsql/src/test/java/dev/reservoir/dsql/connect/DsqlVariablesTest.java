package dev.reservoir.dsql.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.dsql.endpoint.Endpoint;
import dev.reservoir.testkit.LogLines;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the environment says, and what it may not say. */
class DsqlVariablesTest {
    private static DsqlVariables of(String key, String value) {
        return new DsqlVariables(Map.of(key, value));
    }

    @ParameterizedTest
    @ValueSource(strings = {"true", "TRUE", "1", "t", " true "})
    void aClearYesIsReservoirMode(String text) {
        assertThat(of("DSQL_RESERVOIR_ENABLED", text).isReservoirMode()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"false", "", "yes", "0", "tRue"})
    void anythingElseIsStandardMode(String text) {
        assertThat(of("DSQL_RESERVOIR_ENABLED", text).isReservoirMode()).isFalse();
        assertThat(new DsqlVariables(Map.of()).isReservoirMode()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "DSQL_RESERVOIR_ENABLED",
                "DSQL_DISTRIBUTED_RATE_LIMITER_ENABLED",
                "DSQL_DISTRIBUTED_CONN_LEASE_ENABLED"
            })
    void aSwitchThatIsNeitherOnNorOffIsOffWithAWarning(String variable) {
        try (LogLines log = new LogLines()) {
            DsqlVariables variables = DsqlVariables.read(Map.of(variable, "yes"));
            assertThat(variables.isOn(variable)).isFalse();
            assertThat(variables.text(variable)).as("nobody warns again").isNull();
            assertThat(log.lines())
                    .containsExactly("WARN Reservoir: environment variable counts as false  key=" + variable
                            + " value=\"yes\" allowed=\"true or false\"");
        }
    }

    @Test
    void whatTokensTakeThePlaceOfIsLeftOutWithAWarning() {
        try (LogLines log = new LogLines()) {
            DsqlVariables variables = DsqlVariables.read(Map.of("DSQL_RESERVOIR_PASSWORD", "hunter2", "A", "b"));
            assertThat(variables.ofReservoir(new Endpoint("host", 5432))).doesNotContainKey("DSQL_RESERVOIR_PASSWORD");
            assertThat(log.lines())
                    .containsExactly("WARN DSQL variable not used, CLUSTER_ENDPOINT, CLUSTER_USER and tokens take its"
                            + " place  key=DSQL_RESERVOIR_PASSWORD");
        }
    }

    @Test
    void aReservoirIsAsLargeAsItsLargestTargetUnlessItIsTold() {
        assertThat(of("DSQL_RESERVOIR_TARGET_READY", "50").maxOpenOfReservoir(100))
                .isEqualTo(50);
        assertThat(of("DSQL_RESERVOIR_TARGET_READY", "5").maxOpenOfReservoir(100))
                .isEqualTo(5);
        assertThat(new DsqlVariables(Map.of("DSQL_RESERVOIR_TARGET_READY", "5", "DSQL_RESERVOIR_LOW_WATERMARK", "8"))
                        .maxOpenOfReservoir(100))
                .isEqualTo(8);
        assertThat(new DsqlVariables(Map.of("DSQL_RESERVOIR_TARGET_READY", "50", "DSQL_RESERVOIR_MAX_OPEN", "70"))
                        .maxOpenOfReservoir(100))
                .isEqualTo(70);
        assertThat(of("DSQL_RESERVOIR_TARGET_READY", "0").maxOpenOfReservoir(100))
                .isEqualTo(100);
        assertThat(new DsqlVariables(Map.of()).maxOpenOfReservoir(100)).isEqualTo(100);
        assertThat(new DsqlVariables(Map.of()).maxOpen()).isNull();
    }

    @ParameterizedTest
    @CsvSource({"900, 900", "15m, 900", "1s, 1", "604800, 604800", "168h, 604800", "PT1H, 3600"})
    void aTokenDurationIsSecondsOrADuration(String text, long seconds) {
        assertThat(of("DSQL_TOKEN_DURATION", text).tokenDuration()).isEqualTo(Duration.ofSeconds(seconds));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "604801", "500ms", "soon", "-5"})
    void aTokenDurationThatTheServerWouldNotTakeIsRefused(String text) {
        assertThatThrownBy(() -> of("DSQL_TOKEN_DURATION", text).tokenDuration())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("DSQL_TOKEN_DURATION is ")
                .hasMessageContaining("; allowed: ");
    }

    @Test
    void emptyCountsAsNotSet() {
        DsqlVariables variables = new DsqlVariables(Map.of(
                "CLUSTER_ENDPOINT", " ", "DSQL_TOKEN_DURATION", "", "DSQL_CONNECTION_RATE_LIMIT", "", "REGION", ""));
        assertThat(variables.text("CLUSTER_ENDPOINT")).isNull();
        assertThat(variables.tokenDuration()).isNull();
        assertThat(variables.ratePerSecond(10)).isEqualTo(10);
        assertThat(variables.burst(100)).isEqualTo(100);
        assertThat(variables.region()).isNull();
        assertThat(variables.startDelayMax()).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void regionGoesBeforeAwsRegion() {
        assertThat(of("AWS_REGION", "eu-west-1").region()).isEqualTo("eu-west-1");
        assertThat(new DsqlVariables(Map.of("REGION", "us-east-1", "AWS_REGION", "eu-west-1")).region())
                .isEqualTo("us-east-1");
    }

    @Test
    void theStartIsStaggeredUnlessThatIsSwitchedOff() {
        assertThat(of("DSQL_STAGGERED_STARTUP", "false").startDelayMax()).isZero();
        assertThat(of("DSQL_STAGGERED_STARTUP_MAX_DELAY", "250ms").startDelayMax())
                .isEqualTo(Duration.ofMillis(250));
    }

    @ParameterizedTest
    @CsvSource({
        "DSQL_CONNECTION_RATE_LIMIT, 0, more than 0",
        "DSQL_CONNECTION_RATE_LIMIT, many, a number",
        "DSQL_CONNECTION_BURST_LIMIT, 0, 1 or more",
        "DSQL_CONNECTION_BURST_LIMIT, 1.5, a whole number",
        "DSQL_RESERVOIR_MAX_OPEN, 0, 1 or more",
        "DSQL_RESERVOIR_MAX_OPEN, many, a whole number",
        "DSQL_STAGGERED_STARTUP, maybe, true or false",
        "DSQL_STAGGERED_STARTUP_MAX_DELAY, 5, a duration such as 5s"
    })
    void whatCannotBeReadIsRefusedByName(String variable, String text, String allowed) {
        DsqlVariables variables = of(variable, text);
        assertThatThrownBy(() -> {
                    variables.ratePerSecond(10);
                    variables.burst(100);
                    variables.maxOpen();
                    variables.startDelayMax();
                })
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(variable + " is \"" + text + "\"; allowed: " + allowed);
    }

    @Test
    void theEndpointOfABudgetIsThatOfTheEnvironmentAsItIsGiven() {
        Endpoint host = Endpoint.parse("endpoint", "host");
        assertThat(of("CLUSTER_ENDPOINT", "host:5432").ofReservoir(host))
                .isEqualTo(Map.of("CLUSTER_ENDPOINT", "host:5432", "DSQL_RESERVOIR_ENABLED", "true"));
        assertThat(of("CLUSTER_ENDPOINT", "host").ofReservoir(host)).containsEntry("CLUSTER_ENDPOINT", "host");
        assertThat(of("CLUSTER_ENDPOINT", "host:6000").ofReservoir(Endpoint.parse("endpoint", "host:6000")))
                .containsEntry("CLUSTER_ENDPOINT", "host:6000");
    }

    @Test
    void ifAnotherClusterWasChosenTheBudgetIsThatOfItsHost() {
        Endpoint other = Endpoint.parse("endpoint", "other:5432");
        assertThat(of("CLUSTER_ENDPOINT", "host:5432").ofReservoir(other)).containsEntry("CLUSTER_ENDPOINT", "other");
        assertThat(of("A", "b").ofReservoir(other)).containsEntry("CLUSTER_ENDPOINT", "other");
    }

    @Test
    void withoutLeasesOnlyTheirSwitchIsLeftOut() {
        assertThat(new DsqlVariables(Map.of("DSQL_DISTRIBUTED_CONN_LEASE_ENABLED", "true", "A", "b")).withoutLeases())
                .isEqualTo(Map.of("A", "b"));
    }
}
