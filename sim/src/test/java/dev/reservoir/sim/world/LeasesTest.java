package dev.reservoir.sim.world;

import static dev.reservoir.sim.SmallService.service;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.sim.PoolKind;
import dev.reservoir.sim.Seen;
import dev.reservoir.sim.SmallScenario;
import dev.reservoir.sim.scenario.Scenario.FaultKind;
import org.junit.jupiter.api.Test;

class LeasesTest {
    private static SmallScenario matched(SmallScenario scenario) {
        scenario.expected.leasesMatchConnections = true;
        return scenario.promisesKept();
    }

    private static void assertMatched(Seen seen) {
        assertThat(seen.outcome().verdicts()).allMatch(v -> v.holds(), "holds");
    }

    @Test
    void noMoreConnectionsThanLeases() {
        Seen seen = matched(SmallScenario.of(service("a"), service("b")).leases(15, "10s"))
                .run();
        assertThat(seen.outcome().seconds()).allMatch(s -> s.openMost() <= 15);
        assertThat(seen.last("a").leases() + seen.last("b").leases()).isEqualTo(15);
        assertThat(seen.last("a").open() + seen.last("b").open()).isEqualTo(15);
        long failed = seen.last("a").allOpenFailures() + seen.last("b").allOpenFailures();
        assertThat(failed).isPositive();
        assertThat(seen.last("a").openFailures().keySet()).isSubsetOf(OpenFailureReason.LEASE_ACQUIRE);
        assertMatched(seen);
    }

    @Test
    void asManyLeasesAsConnectionsThroughExpiriesAndRestarts() {
        Seen seen = matched(SmallScenario.of(
                                service("a")
                                        .instances(2)
                                        .lives("15s", "5s", "1s")
                                        .even(20),
                                service("b").lives("10s", "0", "1s"))
                        .leases(60, "10s")
                        .coordinatorAnswersIn("5ms")
                        .restart("30s", "5s", false)
                        .lasts("3m"))
                .run();
        assertThat(seen.last("a").leases()).isBetween(20, 22);
        assertMatched(seen);
    }

    @Test
    void leasesOfAProcessThatDiedAreTakenBackAfterTheLeaseTime() {
        SmallScenario scenario = matched(
                SmallScenario.of(service("a").instances(4)).leases(44, "20s").crash("10s", 0.5, "1s"));
        Seen seen = scenario.run();
        // 44 are enough for the two that live, and for what the two that died have left.
        assertThat(seen.at("10s", "a").leases()).isEqualTo(40);
        assertThat(seen.at("15s", "a").leases()).isEqualTo(44);
        assertThat(seen.at("15s", "a").open()).isEqualTo(24);
        assertThat(seen.at("29s", "a").open()).isEqualTo(24);
        assertThat(seen.at("40s", "a").open()).isEqualTo(40);
        assertThat(seen.last("a").leases()).isEqualTo(40);
        assertMatched(seen);
    }

    @Test
    void theGoReservoirNeverGetsThemBack() {
        Seen seen = SmallScenario.of(service("a").instances(4))
                .leases(44, "20s")
                .crash("10s", 0.5, "1s")
                .run(PoolKind.GO_RESERVOIR);
        assertThat(seen.last("a").leases()).isEqualTo(44);
        assertThat(seen.last("a").open()).isEqualTo(24);
    }

    @Test
    void aConnectionsLeaseIsGivenBackByTheGoReservoirToo() {
        SmallScenario scenario = matched(SmallScenario.of(service("a")
                        .lives("10s", "5s", "1s")
                        .closed(5, "100ms", 5)
                        .holds("40ms"))
                .leases(30, "10s")
                .lasts("3m"));
        Seen seen = scenario.run(PoolKind.GO_RESERVOIR);
        assertThat(seen.last("a").refills()).isGreaterThan(100);
        assertMatched(seen);
    }

    @Test
    void whileTheCoordinatorIsAwayEachProcessHoldsItsShareAtMost() {
        Seen seen = matched(
                        SmallScenario.of(service("a").instances(2).target(10).starts("10s", "0"))
                                .leases(12, "10s")
                                .lasting("5s", FaultKind.COORDINATOR_OUTAGE, "20s"))
                .run();
        assertThat(seen.at("20s", "a").open()).isEqualTo(12);
        assertMatched(seen);
    }

    @Test
    void whatCouldNotBeGivenBackDuringAnOutageIsGivenBackAfterIt() {
        Seen seen = matched(SmallScenario.of(service("a").lives("20s", "0", "2s"), service("b"))
                        .leases(30, "10s")
                        .stopsWhenAway()
                        .lasting("10s", FaultKind.COORDINATOR_OUTAGE, "1m")
                        .lasts("2m"))
                .run();
        // All of a's have ended, and their leases are still out.
        assertThat(seen.at("1m", "a").open()).isZero();
        assertThat(seen.at("1m", "a").leases()).isEqualTo(10);
        assertThat(seen.last("a").leases()).isEqualTo(10);
        assertThat(seen.last("a").open()).isEqualTo(10);
        assertMatched(seen);
    }

    @Test
    void leasesThatAProcessCouldNotGiveBackBeforeItEndedAreTakenBack() {
        Seen seen = matched(SmallScenario.of(service("a"), service("b"))
                        .leases(30, "10s")
                        .stopsWhenAway()
                        .lasting("10s", FaultKind.COORDINATOR_OUTAGE, "1m")
                        .scale("20s", 0, "a")
                        .lasts("3m"))
                .run();
        assertThat(seen.at("1m", "a").leases()).isEqualTo(10);
        assertThat(seen.last("a").leases()).isZero();
        assertMatched(seen);
    }
}
