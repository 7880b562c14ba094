package dev.reservoir.dsql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the environment says, and what it may not say. */
class VariablesTest {
    private static Variables of(String key, String value) {
        return new Variables(Map.of(key, value));
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
        assertThat(new Variables(Map.of()).isReservoirMode()).isFalse();
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
        Variables variables = new Variables(Map.of(
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
        assertThat(new Variables(Map.of("REGION", "us-east-1", "AWS_REGION", "eu-west-1")).region())
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
        "DSQL_STAGGERED_STARTUP, maybe, true or false",
        "DSQL_STAGGERED_STARTUP_MAX_DELAY, 5, a duration such as 5s"
    })
    void whatCannotBeReadIsRefusedByName(String variable, String text, String allowed) {
        Variables variables = of(variable, text);
        assertThatThrownBy(() -> {
                    variables.ratePerSecond(10);
                    variables.burst(100);
                    variables.startDelayMax();
                })
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(variable + " is \"" + text + "\"; allowed: " + allowed);
    }

    @Test
    void aBudgetIsSharedByTheHostAlone() {
        assertThat(of("CLUSTER_ENDPOINT", "host:6000").withEndpoint("host")).containsEntry("CLUSTER_ENDPOINT", "host");
        assertThat(new Variables(Map.of("DSQL_DISTRIBUTED_CONN_LEASE_ENABLED", "true", "A", "b")).withoutLeases())
                .isEqualTo(Map.of("A", "b"));
    }
}
