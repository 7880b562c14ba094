package dev.reservoir.sim.world;

import static dev.reservoir.sim.SmallService.service;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.sim.PoolKind;
import dev.reservoir.sim.Seen;
import dev.reservoir.sim.SmallScenario;
import dev.reservoir.sim.result.Outcome.BudgetUse;
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
    void whatIsThereIsSharedFairly() {
        Seen seen = matched(SmallScenario.of(
                                service("first").target(40).lives("10m", "0", "1s"),
                                service("later").target(40).starts("20s", "0").lives("10m", "0", "1s"))
                        .leases(40, "10s")
                        .lasts("2m"))
                .run();
        assertThat(seen.at("19s", "first").open()).isEqualTo(40);
        // The first process gives up what exceeds half of the leases.
        assertThat(seen.last("first").open()).isBetween(19, 22);
        assertThat(seen.last("later").open()).isBetween(18, 21);
        assertThat(seen.last("first").discards(DiscardReason.LEASE_RECALLED)).isPositive();
        assertMatched(seen);
    }

    @Test
    void asManyLeasesInUseAsConnectionsThroughExpiriesAndRestarts() {
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
        // Each process keeps a few spare leases.
        assertThat(seen.last("a").leases()).isBetween(20, 30);
        assertMatched(seen);
    }

    @Test
    void leasesOfAProcessThatDiedAreTakenBackWithinTheLeaseTime() {
        SmallScenario scenario = matched(
                SmallScenario.of(service("a").instances(4)).leases(44, "20s").crash("10s", 0.5, "1s"));
        Seen seen = scenario.run();
        // 44 leases are enough for the two live processes and for those of the two dead ones. New processes share the
        // rest.
        assertThat(seen.at("10s", "a").leases()).isBetween(40, 44);
        assertThat(seen.at("20s", "a").leases()).isBetween(40, 44);
        assertThat(seen.at("20s", "a").open()).isBetween(18, 24);
        assertThat(seen.at("40s", "a").open()).isEqualTo(40);
        assertThat(seen.outcome().budget().get(BudgetUse.LEASES_TAKEN_BACK)).isBetween(20L, 24L);
        assertThat(seen.outcome().budget().get(BudgetUse.DECLARED_DEAD)).isZero();
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
    void aProcessThatStandsStillForLongerThanTheLeaseFindsOutAndFitsIn() {
        // While the process hangs, others take its leases. When it continues, there are not enough for all.
        Seen seen = matched(SmallScenario.of(
                                service("still").target(20).lives("10m", "0", "1s"),
                                service("others").instances(2).target(20).lives("10m", "0", "1s"))
                        .leases(40, "10s")
                        .hang("15s", 1, "30s", "still")
                        .lasts("3m"))
                .run();
        assertThat(seen.outcome().budget().get(BudgetUse.DECLARED_DEAD)).isEqualTo(1);
        assertThat(seen.at("15s", "others").open()).isBetween(20, 27);
        // The process cannot close connections whose leases it does not know to be lost.
        assertThat(seen.at("44s", "still").open()).isBetween(13, 20);
        assertThat(seen.at("44s", "others").open()).isBetween(38, 40);
        assertThat(seen.at("1m30s", "still").open() + seen.at("1m30s", "others").open())
                .isLessThanOrEqualTo(40);
        // At the end each process has an equal share.
        assertThat(seen.last("still").open()).isBetween(11, 15);
        assertMatched(seen);
    }

    @Test
    void whileTheCoordinatorIsAwayAProcessThatStartsTakesAThousandthAtMost() {
        Seen seen = matched(
                        SmallScenario.of(service("a").instances(2).target(10).starts("10s", "0"))
                                .leases(3_000, "10s")
                                .lasting("5s", FaultKind.COORDINATOR_OUTAGE, "60s")
                                .lasts("2m"))
                .run();
        assertThat(seen.at("1m", "a").open()).isEqualTo(6);
        assertThat(seen.last("a").open()).isEqualTo(20);
        assertMatched(seen);
    }

    @Test
    void whileTheCoordinatorIsAwayOthersShareWhatWasFree() {
        Seen seen = matched(SmallScenario.of(service("a")
                                .instances(2)
                                .target(10)
                                .maxOpen(40)
                                .bursts("30s", 40)
                                .holds("20s"))
                        .leases(60, "10s")
                        .lasting("15s", FaultKind.COORDINATOR_OUTAGE, "40s")
                        .lasts("3m"))
                .run();
        // Each process has its share and half of four fifths of the 36 free leases.
        assertThat(seen.at("54s", "a").open()).isBetween(40, 56);
        assertThat(seen.outcome().seconds()).allMatch(s -> s.openMost() <= 60);
        assertMatched(seen);
    }

    @Test
    void whatCouldNotBeGivenBackDuringAnOutageIsThereAfterIt() {
        Seen seen = matched(SmallScenario.of(service("a").lives("20s", "0", "2s"), service("b"))
                        .leases(30, "10s")
                        .stopsWhenAway()
                        .lasting("10s", FaultKind.COORDINATOR_OUTAGE, "1m")
                        .lasts("2m"))
                .run();
        // All connections of a have ended, and its share is still counted.
        assertThat(seen.at("1m", "a").open()).isZero();
        assertThat(seen.at("1m", "a").leases()).isEqualTo(12);
        assertThat(seen.last("a").leases()).isBetween(10, 12);
        assertThat(seen.last("a").open()).isEqualTo(10);
        // All processes were cut off, so none considers another one dead.
        assertThat(seen.outcome().budget().get(BudgetUse.DECLARED_DEAD)).isZero();
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
        assertThat(seen.at("1m", "a").leases()).isEqualTo(12);
        assertThat(seen.last("a").leases()).isZero();
        assertMatched(seen);
    }

    @Test
    void whileWritesAreThrottledNobodyWhoLivesIsTakenForDead() {
        // All leases are in use. If one were taken from a live process, there would be one connection too many.
        Seen seen = matched(SmallScenario.of(
                                service("a").instances(5).target(20).lives("10m", "0", "1s"),
                                service("b").instances(5).target(20).lives("10m", "0", "1s"))
                        .leases(150, "10s")
                        .coordinatorAnswersIn("5ms")
                        .lasting("30s", FaultKind.WRITES_THROTTLED, "25s")
                        .lasting("2m", FaultKind.WRITES_THROTTLED, "9s")
                        .lasts("3m"))
                .run();
        assertThat(seen.outcome().seconds()).allMatch(s -> s.openMost() <= 150);
        assertThat(seen.outcome().budget().get(BudgetUse.DECLARED_DEAD)).isZero();
        assertThat(seen.outcome().budget().get(BudgetUse.LEASES_TAKEN_BACK)).isZero();
        assertThat(seen.last("a").open() + seen.last("b").open()).isBetween(140, 150);
        assertMatched(seen);
    }

    @Test
    void whileWritesAreThrottledThereAreNoNewConnectionsAndThoseOfTheDeadAreTakenBackAfterwards() {
        Seen seen = matched(SmallScenario.of(service("a").instances(4).lives("10m", "0", "1s"))
                        .leases(44, "10s")
                        .coordinatorAnswersIn("5ms")
                        .lasting("20s", FaultKind.WRITES_THROTTLED, "30s")
                        .crash("21s", 0.5, "1s")
                        .lasts("2m"))
                .run();
        assertThat(seen.at("49s", "a").open()).isBetween(18, 24);
        assertThat(seen.last("a").open()).isEqualTo(40);
        assertThat(seen.outcome().budget().get(BudgetUse.LEASES_TAKEN_BACK)).isBetween(18L, 24L);
        assertThat(seen.outcome().budget().get(BudgetUse.DECLARED_DEAD)).isZero();
        assertMatched(seen);
    }

    @Test
    void theGoReservoirOpensNothingWhileWritesAreThrottledAndOwesNothingAfterwards() {
        Seen seen = SmallScenario.of(service("a").lives("20s", "0", "1s"))
                .leases(44, "10s")
                .lasting("10s", FaultKind.WRITES_THROTTLED, "30s")
                .lasts("2m")
                .run(PoolKind.GO_RESERVOIR);
        assertThat(seen.at("39s", "a").open()).isZero();
        assertThat(seen.last("a").open()).isPositive();
        assertThat(seen.last("a").leases()).isEqualTo(seen.last("a").open());
    }

    @Test
    void processesThatLeaveInOrderLeaveNothing() {
        Seen seen = matched(SmallScenario.of(service("a").instances(3), service("b"))
                        .leases(60, "10s")
                        .coordinatorAnswersIn("5ms")
                        .scale("20s", 0, "a"))
                .run();
        assertThat(seen.at("19s", "a").leases()).isBetween(30, 40);
        // Long before another process would consider them dead.
        assertThat(seen.at("22s", "a").leases()).isZero();
        assertThat(seen.outcome().budget().get(BudgetUse.LEASES_TAKEN_BACK)).isZero();
        assertMatched(seen);
    }
}
