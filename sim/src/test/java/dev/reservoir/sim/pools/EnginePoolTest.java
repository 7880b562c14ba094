package dev.reservoir.sim.pools;

import static dev.reservoir.sim.SmallService.service;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.Settings;
import dev.reservoir.sim.Seen;
import dev.reservoir.sim.SmallScenario;
import dev.reservoir.sim.result.Sample;
import dev.reservoir.sim.scenario.Scenario;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class EnginePoolTest {
    @Test
    void theBaseOfTheEngineIsTheMiddleOfTheLifetimesInTheFile() {
        Scenario.Pool pool = SmallScenario.of(service("a").lives("11m", "2m", "45s"))
                .build()
                .services()
                .get(0)
                .pool();
        Settings settings = EnginePool.settings(pool);
        assertThat(settings.baseLifetimeNanos())
                .isEqualTo(Duration.ofMinutes(12).toNanos());
        assertThat(settings.lifetimeJitterNanos())
                .isEqualTo(Duration.ofMinutes(2).toNanos());
        assertThat(settings.guardWindowNanos()).isEqualTo(Duration.ofSeconds(45).toNanos());
    }

    @Test
    void connectionsBornTogetherAreReplacedWithoutADip() {
        SmallScenario scenario = SmallScenario.of(
                        service("a").target(200).lives("2m", "0", "10s").even(100))
                .lasts("10m");
        scenario.expected.minUsableShare = 1.0;
        scenario.expected.maxConnectsPerSec = 100;
        Seen seen = scenario.run();
        assertThat(seen.outcome().verdicts()).allMatch(v -> v.holds());
        assertThat(seen.last("a").discards(DiscardReason.SUPERSEDED)).isGreaterThan(600);
        assertThat(seen.last("a").emptyEvents()).isZero();
    }

    @Test
    void connectionsAreUsedNoLongerThanTheirLifetime() {
        Seen seen = SmallScenario.of(
                        service("a").target(20).lives("20s", "10s", "2s").poisson(50))
                .lasts("3m")
                .run();
        List<Long> ages = seen.outcome().ages();
        // 40 steps up to 30 s. No connection is kept until its last two seconds.
        assertThat(ages.subList(38, 40)).containsOnly(0L);
        assertThat(ages.stream().mapToLong(n -> n).sum()).isGreaterThan(100);
    }

    @Test
    void handshakesRunSideBySide() {
        Sample last = SmallScenario.of(service("a").target(100))
                .unlimited()
                .handshake("2s")
                .lasts("3s")
                .run()
                .last("a");
        assertThat(last.usable()).isEqualTo(100);
    }
}
