package dev.reservoir.sim.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.util.NearestName;
import dev.reservoir.sim.scenario.ScenarioKeys;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NearestTest {
    @ParameterizedTest
    @CsvSource({
        "durtion, duration",
        "Duration, duration",
        "sample_every, sampleEvery",
        "sampelEvery, sampleEvery",
        "limiterPerSecond, limiterPerSec",
        "assertMaxWaitP99, assertMaxWaitP999",
        "assertMaxConnectPerSec, assertMaxConnectsPerSec",
        "service, services",
        "brst, burst",
    })
    void theNearestKeyIsWhatWasMeant(String typed, String meant) {
        assertThat(NearestName.likely(typed, ScenarioKeys.TOP.names())).isEqualTo(meant);
    }

    @Test
    void whatIsLikeNothingHasNoNearest() {
        assertThat(NearestName.likely("colour", ScenarioKeys.TOP.names())).isNull();
        assertThat(NearestName.likely("x", ScenarioKeys.FAULT.names())).isNull();
        assertThat(NearestName.likely("s".repeat(10_000), List.of("s".repeat(10_000))))
                .isNull();
    }

    @Test
    void theFirstOfEqualsIsTaken() {
        assertThat(NearestName.likely("abcx", List.of("abcd", "abce"))).isEqualTo("abcd");
    }
}
