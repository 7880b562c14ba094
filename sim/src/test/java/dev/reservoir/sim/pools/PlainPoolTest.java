package dev.reservoir.sim.pools;

import static dev.reservoir.sim.SmallService.service;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.sim.PoolKind;
import dev.reservoir.sim.Seen;
import dev.reservoir.sim.SmallScenario;
import dev.reservoir.sim.result.Outcome;
import dev.reservoir.sim.result.Sample;
import dev.reservoir.sim.scenario.Scenario.FaultKind;
import dev.reservoir.sim.scenario.Scenario.Sharing;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlainPoolTest {
    @Test
    void opensOneAtATimeWithAPauseAfterEach() {
        Seen seen = SmallScenario.of(service("a").target(20)).handshake("20ms").run(PoolKind.PLAIN);
        assertThat(seen.convergedAt()).isCloseTo(20 * 0.02 + 19 * 0.03, within(1e-9));
        assertThat(seen.samples("a")).allMatch(s -> s.opening() <= 1);
        assertThat(seen.last("a").refills()).isEqualTo(20);
    }

    @Test
    void fillsToItsMaximum() {
        Seen seen = SmallScenario.of(service("a").target(5).maxOpen(8)).run(PoolKind.PLAIN);
        assertThat(seen.last("a").ready()).isEqualTo(8);
    }

    @Test
    void knowsNothingOfPermitsAndLeases() {
        Seen seen = SmallScenario.of(service("a").instances(10).target(10))
                .limiter(1, 1, Sharing.SHARED)
                .leases(5, "10s")
                .run(PoolKind.PLAIN);
        assertThat(seen.convergedAt()).isCloseTo(10 * 0.02 + 9 * 0.03, within(1e-9));
        assertThat(seen.last("a").leases()).isZero();
        assertThat(seen.last("a").limiterDenies()).isZero();
    }

    @Test
    void livesUpToAQuarterLessThanTheLongestLifetime() {
        Outcome outcome = SmallScenario.of(service("a").target(100).lives("80s", "20s", "1s"))
                .lasts("10m")
                .run(PoolKind.PLAIN)
                .outcome();
        // 40 steps up to 100 s: the last ten are the last quarter.
        List<Long> ages = outcome.ages();
        assertThat(ages.subList(0, 30)).containsOnly(0L);
        assertThat(ages.subList(30, 40)).allMatch(n -> n > 30);
    }

    @Test
    void replacesAfterOneHasGone() {
        Seen seen = SmallScenario.of(service("a").target(100).lives("80s", "20s", "1s"))
                .lasts("3m")
                .sampledEvery("10ms")
                .run(PoolKind.PLAIN);
        int least = seen.samples("a").stream()
                .filter(s -> s.atNanos() > 10_000_000_000L)
                .mapToInt(Sample::usable)
                .min()
                .orElse(0);
        assertThat(least).isBetween(90, 99);
        assertThat(seen.last("a").discards(DiscardReason.EXPIRED_ON_SCAN)).isGreaterThan(100);
    }

    @Test
    void oneInUseAtItsEndGoesWhenItComesBack() {
        Seen seen = SmallScenario.of(service("a")
                        .target(1)
                        .lives("10s", "0", "0")
                        .recorded("1s")
                        .holds("20s"))
                .run(PoolKind.PLAIN);
        assertThat(seen.at("20s", "a").inUse()).isEqualTo(1);
        assertThat(seen.last("a").discards(DiscardReason.EXPIRED_ON_RETURN)).isEqualTo(1);
        assertThat(seen.last("a").workCompleted()).isEqualTo(1);
    }

    @Test
    void pausesLongerAndLongerWhileItIsRefused() {
        Seen seen = SmallScenario.of(service("a").target(5)).cap(2).lasts("10s").run(PoolKind.PLAIN);
        // 10, 20, 40, ... ms of pause: ten tries in ten seconds.
        assertThat(seen.last("a").refused()).isBetween(9L, 10L);
        assertThat(seen.last("a").openFailures()).containsOnlyKeys(OpenFailureReason.SERVER_FULL);
    }

    @Test
    void aHungConnectStopsAllOthers() {
        Seen seen = SmallScenario.of(service("a").target(10).connectTimeout("3s"))
                .fault("100ms", FaultKind.HUNG_CONNECTS, 1, "4s")
                .run(PoolKind.PLAIN);
        assertThat(seen.at("3s", "a").usable()).isLessThan(4);
        assertThat(seen.last("a").openFailures()).containsEntry(OpenFailureReason.CONNECT_TIMEOUT, 1L);
        assertThat(seen.last("a").usable()).isEqualTo(10);
        assertThat(seen.last("a").open()).isEqualTo(10);
    }

    @Test
    void servesWaitersInOrder() {
        Seen seen = SmallScenario.of(
                        service("a").target(1).recorded("1s", "1.1s", "1.2s").holds("1s"))
                .run(PoolKind.PLAIN);
        assertThat(seen.outcome().waits().maxNanos()).isEqualTo(1_800_000_000L);
        assertThat(seen.last("a").workCompleted()).isEqualTo(3);
    }

    @Test
    void looksAtIdleConnectionsNowAndThen() {
        Seen seen =
                SmallScenario.of(service("a").keepalive("10s")).drop("15s", 0.5).run(PoolKind.PLAIN);
        assertThat(seen.at("19s", "a").usable()).isEqualTo(5);
        assertThat(seen.at("22s", "a").usable()).isEqualTo(10);
        assertThat(seen.last("a").discards(DiscardReason.VALIDATION_FAILED)).isEqualTo(5);
    }
}
