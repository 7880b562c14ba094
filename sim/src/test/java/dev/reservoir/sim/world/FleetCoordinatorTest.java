package dev.reservoir.sim.world;

import static dev.reservoir.sim.SmallService.service;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.sim.PoolKind;
import dev.reservoir.sim.Seen;
import dev.reservoir.sim.SmallScenario;
import dev.reservoir.sim.result.Outcome.BudgetUse;
import dev.reservoir.sim.result.Outcome.Second;
import dev.reservoir.sim.scenario.Scenario.FaultKind;
import dev.reservoir.sim.scenario.Scenario.Sharing;
import org.junit.jupiter.api.Test;

class FleetCoordinatorTest {
    @Test
    void answersAfterItsLatencyAndThatIsNoThrottle() {
        Seen seen = SmallScenario.of(service("a").target(20))
                .limiter(100, 1, Sharing.SHARED)
                .coordinatorAnswersIn("50ms")
                .run();
        // All processes make a call that reads and one that reserves. Then a slot is due every 10 ms. A process allows
        // twice for an error of 25 ms of its clock: when it reserves a slot and when it uses it. Its first slot is due
        // when the answer arrives, plus a quarter of the time that the answer takes.
        assertThat(seen.convergedAt()).isCloseTo(0.051 + 1.25 * 0.05 + 2 * 0.025 + 0.19 + 0.02, within(0.001));
    }

    @Test
    void whoWaitsForAPermitForLongerThanAskingTakesIsCounted() {
        Seen seen = SmallScenario.of(service("a").target(20))
                .limiter(100, 1, Sharing.SHARED)
                .run();
        // The first slot is due after 51 ms, the sixth after 101 ms.
        assertThat(seen.last("a").limiterDenies()).isEqualTo(15);
    }

    @Test
    void oneBucketServesTheWholeFleet() {
        Seen seen = SmallScenario.of(
                        service("a").instances(4).target(50), service("b").target(50))
                .limiter(50, 10, Sharing.SHARED)
                .run();
        assertThat(seen.second(0).connects()).isBetween(55, 60);
        assertThat(seen.second(1).connects()).isBetween(49, 50);
        assertThat(seen.convergedAt()).isCloseTo((250 - 10) / 50.0 + 0.02, within(0.1));
    }

    @Test
    void aBurstIsToBeHadAtOnceByAll() {
        Seen seen = SmallScenario.of(service("a").instances(20).target(50))
                .limiter(100, 1_000, Sharing.SHARED)
                .databaseRate(100, 1_000)
                .coordinatorAnswersIn("5ms")
                .run();
        // Ten of the burst are kept back for connects that are still on their way to the database.
        assertThat(seen.convergedAt()).isLessThan(0.5);
        assertThat(seen.last("a").refused()).isZero();
        assertThat(seen.outcome().budget().get(BudgetUse.PERMITS_LAPSED)).isZero();
    }

    @Test
    void bucketsOfTheirOwnKnowNothingOfEachOther() {
        Seen seen = SmallScenario.of(service("a").instances(4).target(50))
                .limiter(50, 1, Sharing.LOCAL)
                .run();
        assertThat(seen.second(0).connects()).isEqualTo(200);
        assertThat(seen.convergedAt()).isCloseTo(49 / 50.0 + 0.02, within(0.001));
        assertThat(seen.outcome().budget()).isNull();
    }

    private static int connects(Seen seen, int from, int to) {
        return seen.outcome().seconds().subList(from, to).stream()
                .mapToInt(Second::connects)
                .sum();
    }

    @Test
    void whileItIsAwayEachProcessOpensAtItsShare() {
        Seen seen = SmallScenario.of(service("a").instances(4).target(50).even(20))
                .limiter(40, 1, Sharing.SHARED)
                .lasting("20s", FaultKind.COORDINATOR_OUTAGE, "10m")
                .drop("40s", 1)
                .lasts("2m")
                .run();
        // Each process has a quarter of 40 a second: the 50th connection follows 4.9 s after the first.
        assertThat(connects(seen, 40, 50)).isEqualTo(200);
        assertThat(seen.outcome().seconds().subList(40, 46)).allMatch(s -> s.connects() <= 40);
        assertThat(seen.at("43s", "a").usable()).isBetween(80, 130);
        assertThat(seen.last("a").usable()).isEqualTo(200);
    }

    @Test
    void theShareIsThatOfTheFleetAsItIsThen() {
        Seen seen = SmallScenario.of(service("a").instances(1).target(20).even(20))
                .limiter(40, 1, Sharing.SHARED)
                .lasting("5s", FaultKind.COORDINATOR_OUTAGE, "1s")
                .scale("10s", 4)
                .lasting("20s", FaultKind.COORDINATOR_OUTAGE, "1m")
                .drop("40s", 1)
                .lasts("2m")
                .run();
        // Each process opens ten a second, not forty.
        assertThat(connects(seen, 40, 41)).isBetween(20, 40);
        assertThat(seen.at("44s", "a").usable()).isEqualTo(80);
        assertThat(seen.outcome().seconds().subList(30, 120)).allMatch(s -> s.connects() <= 40);
    }

    @Test
    void oneThatStartsWhileItIsAwayIsCareful() {
        Seen seen = SmallScenario.of(service("a").instances(2).target(50).starts("10s", "0"))
                .limiter(400, 1, Sharing.SHARED)
                .lasting("5s", FaultKind.COORDINATOR_OUTAGE, "10m")
                .lasts("2m")
                .run();
        // The process has never seen the fleet, so it uses a thousandth of the rate.
        assertThat(seen.last("a").usable()).isBetween(60, 90);
        assertThat(connects(seen, 60, 110)).isBetween(38, 42);
    }

    @Test
    void whileItIsAwayNothingIsOpenedIfThatIsTheChoice() {
        Seen seen = SmallScenario.of(service("a").target(10).even(20))
                .stopsWhenAway()
                .lasting("10s", FaultKind.COORDINATOR_OUTAGE, "50s")
                .drop("12s", 0.5)
                .lasts("90s")
                .run();
        assertThat(seen.at("59s", "a").open()).isEqualTo(5);
        assertThat(seen.outcome().seconds().subList(10, 59)).allMatch(s -> s.connects() == 0);
        // After the longest wait for a permit.
        assertThat(seen.at("40s", "a").openFailures()).isEmpty();
        assertThat(seen.at("59s", "a").openFailures()).containsOnlyKeys(OpenFailureReason.RATE_LIMIT);
        // Open connections keep serving.
        assertThat(seen.at("59s", "a").timeouts()).isZero();
        assertThat(seen.last("a").usable()).isEqualTo(10);
        assertThat(seen.marks("fault")).startsWith("the coordinator is away");
        assertThat(seen.marks("recovery")).containsExactly("the coordinator is back");
    }

    @Test
    void theTurnsOfAProcessThatDiedPassUnused() {
        // Both request 100 permits at once, b a second after a. Then b dies before its slots are due.
        Seen seen = SmallScenario.of(
                        service("b").target(100), service("a").target(100).starts("1s", "0"))
                .limiter(10, 1, Sharing.SHARED)
                .crash("2s", 1, "0", "b")
                .run();
        // b had reserved 50 slots, half of those within the horizon. The 30 that it had not used came before those of
        // a.
        assertThat(seen.at("4s", "a").open()).isZero();
        assertThat(seen.at("9s", "a").open()).isBetween(35, 45);
        assertThat(seen.at("21s", "a").open()).isGreaterThan(95);
    }

    @Test
    void aProcessWhoseClockIsFarOffIsAboutASecondLateAtMost() {
        SmallScenario scenario = SmallScenario.of(service("a").instances(10).target(20))
                .limiter(100, 1, Sharing.SHARED)
                .coordinatorAnswersIn("5ms");
        double right = scenario.run().convergedAt();
        Seen off = scenario.clocksAreOffBy("1h").promisesKept().run();
        assertThat(right).isCloseTo(2.07, within(0.05));
        assertThat(off.convergedAt()).isBetween(right, right + 1.5);
        assertThat(off.verdict("assertPromisesKept").holds()).isTrue();
    }

    @Test
    void answersThatGetLostCostPermitsAndTimeButNothingElse() {
        SmallScenario scenario = SmallScenario.of(
                        service("a").instances(10).target(20).even(10))
                .limiter(100, 1, Sharing.SHARED)
                .leases(250, "20s")
                .coordinatorAnswersIn("5ms")
                .losesAnswers(0.2)
                .meetsConflicts(0.3)
                .promisesKept()
                .lasts("5m");
        scenario.expected.leasesMatchConnections = true;
        Seen seen = scenario.run();
        assertThat(seen.outcome().verdicts()).allMatch(v -> v.holds(), "holds");
        assertThat(seen.last("a").usable()).isEqualTo(200);
        assertThat(seen.outcome().budget().get(BudgetUse.CALLS)).isGreaterThan(1_000);
    }

    @Test
    void theModelForOtherPoolsKeepsOneBucketToo() {
        Seen seen = SmallScenario.of(service("a").instances(4).target(20))
                .limiter(10, 1, Sharing.SHARED)
                .coordinatorAnswersIn("5ms")
                .run(PoolKind.GO_RESERVOIR);
        assertThat(seen.outcome().seconds()).allMatch(s -> s.connects() <= 10);
        assertThat(seen.convergedAt()).isBetween(7.9, 8.1);
        assertThat(seen.outcome().budget()).isNull();
    }
}
