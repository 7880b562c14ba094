package dev.reservoir.sim.world;

import static dev.reservoir.sim.SmallService.service;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.sim.Seen;
import dev.reservoir.sim.SmallScenario;
import dev.reservoir.sim.result.Outcome.Second;
import dev.reservoir.sim.scenario.Scenario.FaultKind;
import dev.reservoir.sim.scenario.Scenario.Sharing;
import org.junit.jupiter.api.Test;

class CoordinatorTest {
    @Test
    void answersAfterItsLatencyAndThatIsNoThrottle() {
        Seen seen = SmallScenario.of(service("a").target(20))
                .limiter(100, 1, Sharing.SHARED)
                .coordinatorAnswersIn("50ms")
                .run();
        // All ask at once: the last is served 190 ms after the first, which is there after 50 ms.
        assertThat(seen.convergedAt()).isCloseTo(0.05 + 0.19 + 0.02, within(0.001));
        // The first did not have to wait for its turn.
        assertThat(seen.last("a").limiterDenies()).isEqualTo(19);
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
    void bucketsOfTheirOwnKnowNothingOfEachOther() {
        Seen seen = SmallScenario.of(service("a").instances(4).target(50))
                .limiter(50, 1, Sharing.LOCAL)
                .run();
        assertThat(seen.second(0).connects()).isEqualTo(200);
        assertThat(seen.convergedAt()).isCloseTo(49 / 50.0 + 0.02, within(0.001));
    }

    @Test
    void whileItIsAwayEachProcessOpensAtItsShare() {
        Seen seen = SmallScenario.of(service("a").instances(4).target(100).starts("10s", "0"))
                .limiter(40, 1, Sharing.SHARED)
                .lasting("5s", FaultKind.COORDINATOR_OUTAGE, "10m")
                .lasts("2m")
                .run();
        // A quarter of 40 a second each: 100 are there 9.9 s after the first.
        assertThat(seen.convergedAt()).isCloseTo(19.92, within(0.001));
        assertThat(seen.outcome().seconds()).allMatch(s -> s.connects() <= 40);
    }

    @Test
    void theShareIsThatOfTheFleetAsItIsThen() {
        Seen seen = SmallScenario.of(service("a").instances(1).target(10))
                .limiter(40, 1, Sharing.SHARED)
                .lasting("5s", FaultKind.COORDINATOR_OUTAGE, "1s")
                .scale("10s", 4)
                .lasting("20s", FaultKind.COORDINATOR_OUTAGE, "1m")
                .drop("21s", 1)
                .restart("22s", "0", true)
                .run();
        int connects = seen.outcome().seconds().subList(22, 24).stream()
                .mapToInt(Second::connects)
                .sum();
        assertThat(connects).isEqualTo(40);
        assertThat(seen.outcome().seconds().subList(20, 60)).allMatch(s -> s.connects() <= 40);
        assertThat(seen.last("a").usable()).isEqualTo(40);
    }

    @Test
    void whileItIsAwayNothingIsOpenedIfThatIsTheChoice() {
        Seen seen = SmallScenario.of(service("a").target(10).even(20))
                .stopsWhenAway()
                .lasting("10s", FaultKind.COORDINATOR_OUTAGE, "20s")
                .drop("12s", 0.5)
                .run();
        assertThat(seen.at("30s", "a").open()).isEqualTo(5);
        assertThat(seen.outcome().seconds().subList(10, 30)).allMatch(s -> s.connects() == 0);
        assertThat(seen.at("30s", "a").openFailures()).containsOnlyKeys(OpenFailureReason.RATE_LIMIT);
        // Those that are there serve on.
        assertThat(seen.at("30s", "a").timeouts()).isZero();
        assertThat(seen.last("a").usable()).isEqualTo(10);
        assertThat(seen.marks("fault")).startsWith("the coordinator is away");
        assertThat(seen.marks("recovery")).containsExactly("the coordinator is back");
    }

    @Test
    void theTurnsOfAProcessThatDiedPassUnused() {
        // Both ask for 100 at once, one a second after the other; b dies with all of its turns to come.
        Seen seen = SmallScenario.of(
                        service("b").target(100), service("a").target(100).starts("1s", "0"))
                .limiter(10, 1, Sharing.SHARED)
                .crash("2s", 1, "0", "b")
                .run();
        // The 79 turns that b had not come to were before a's.
        assertThat(seen.at("9s", "a").open()).isZero();
        assertThat(seen.at("21s", "a").open()).isGreaterThan(95);
    }
}
