package dev.reservoir.sim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.Nearest;
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
        assertThat(Nearest.likely(typed, Keys.TOP)).isEqualTo(meant);
    }

    @Test
    void whatIsLikeNothingHasNoNearest() {
        assertThat(Nearest.likely("colour", Keys.TOP)).isNull();
        assertThat(Nearest.likely("x", Keys.FAULT)).isNull();
        assertThat(Nearest.likely("s".repeat(10_000), List.of("s".repeat(10_000))))
                .isNull();
    }

    @Test
    void theFirstOfEqualsIsTaken() {
        assertThat(Nearest.likely("abcx", List.of("abcd", "abce"))).isEqualTo("abcd");
    }
}
