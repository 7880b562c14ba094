package dev.reservoir.dsql.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.testkit.LogLines;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** With this module on the class path, the variables of every reservoir have the names of Aurora DSQL's clients. */
class DsqlEnvironmentNamesTest {

    @Test
    void theSwitchIsKnown() {
        assertThat(ReservoirDataSource.fromEnvironment(Map.of("DSQL_RESERVOIR_ENABLED", "true"))
                        .isReservoirMode())
                .isTrue();
        assertThat(ReservoirDataSource.fromEnvironment(Map.of("RESERVOIR_ENABLED", "true"))
                        .isReservoirMode())
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "DSQL_RESERVOIR_TARGET_READY",
                "DSQL_RESERVOIR_LOW_WATERMARK",
                "DSQL_RESERVOIR_BASE_LIFETIME",
                "DSQL_RESERVOIR_LIFETIME_JITTER",
                "DSQL_RESERVOIR_GUARD_WINDOW",
                "DSQL_RESERVOIR_MAX_OPEN",
                "DSQL_CONNECTION_RATE_LIMIT",
                "DSQL_CONNECTION_BURST_LIMIT",
                "DSQL_STAGGERED_STARTUP",
                "DSQL_STAGGERED_STARTUP_MAX_DELAY"
            })
    void everyVariableIsRead(String variable) {
        assertThatThrownBy(() -> ReservoirDataSource.fromEnvironment(Map.of(variable, "nonsense")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(variable + " is \"nonsense\"; allowed: ");
    }

    @ParameterizedTest
    @CsvSource({
        "DSQL_RESERVOIR_GARD_WINDOW, DSQL_RESERVOIR_GUARD_WINDOW",
        "DSQL_CONNECTION_RATE, DSQL_CONNECTION_RATE_LIMIT",
        "DSQL_STAGGERED_START, DSQL_STAGGERED_STARTUP"
    })
    void aMisspeltVariableIsMentioned(String variable, String nearest) {
        try (LogLines log = new LogLines()) {
            ReservoirDataSource.fromEnvironment(
                    Map.of(variable, "1", "DSQL_RESERVOIR_ENABLED", "true", "DSQL_OTHER", "x"));

            assertThat(log.lines())
                    .containsExactly("WARN Reservoir: environment variable not known, ignored  key=" + variable
                            + " nearest=" + nearest);
        }
    }

    @Test
    void aBudgetThatNobodyProvidesIsRefused() {
        assertThatThrownBy(() ->
                        ReservoirDataSource.fromEnvironment(Map.of("DSQL_DISTRIBUTED_CONN_LEASE_ENABLED", "true")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("DSQL_DISTRIBUTED_CONN_LEASE_ENABLED is true; allowed: true only with reservoir-dynamodb on"
                        + " the class path");
    }
}
