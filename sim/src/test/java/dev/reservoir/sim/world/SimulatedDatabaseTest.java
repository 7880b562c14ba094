package dev.reservoir.sim.world;

import static dev.reservoir.sim.SmallService.service;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.sim.Seen;
import dev.reservoir.sim.SmallScenario;
import dev.reservoir.sim.result.Outcome.Second;
import dev.reservoir.sim.result.Sample;
import dev.reservoir.sim.scenario.Latency;
import dev.reservoir.sim.scenario.Scenario.FaultKind;
import dev.reservoir.sim.scenario.Scenario.Sharing;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SimulatedDatabaseTest {
    private static Duration millis(long value) {
        return Duration.ofMillis(value);
    }

    @Test
    void refusesWith53400WhatIsFasterThanItsBucketAllows() {
        Seen seen = SmallScenario.of(service("a").target(20))
                .unlimited()
                .databaseRate(10, 5)
                .run();
        assertThat(seen.second(0).connects()).isGreaterThanOrEqualTo(20);
        // Twenty connects arrive at once.
        assertThat(seen.at("1s", "a").refills()).isGreaterThanOrEqualTo(5);
        assertThat(seen.second(0).refusedByRate()).isGreaterThanOrEqualTo(15);
        Sample last = seen.last("a");
        long refused = seen.outcome().seconds().stream()
                .mapToInt(Second::refusedByRate)
                .sum();
        assertThat(last.refused())
                .isEqualTo(refused)
                .isEqualTo(last.openFailures().get(OpenFailureReason.SERVER_RATE));
        assertThat(last.usable()).isEqualTo(20);
    }

    @Test
    void refusesNothingOfAFleetThatKeepsToItsRate() {
        Seen seen = SmallScenario.of(service("a").target(20), service("b").target(20))
                .limiter(10, 1, Sharing.SHARED)
                .databaseRate(10, 2)
                .run();
        assertThat(seen.last("a").refused() + seen.last("b").refused()).isZero();
        // One more each tenth of a second, allowing for a clock that is 25 ms off, and 20 ms for the last connect.
        assertThat(seen.convergedAt()).isCloseTo(0.051 + 3.9 + 0.02, within(0.001));
    }

    @Test
    void refusesWith53300WhatIsMoreThanItsCap() {
        Seen seen = SmallScenario.of(service("a").target(10)).unlimited().cap(8).run();
        assertThat(seen.outcome().seconds()).allMatch(s -> s.openMost() <= 8);
        assertThat(seen.second(0).refusedByCap()).isGreaterThanOrEqualTo(2);
        Sample last = seen.last("a");
        assertThat(last.openFailures().get(OpenFailureReason.SERVER_FULL)).isEqualTo(last.refused());
        assertThat(last.open()).isEqualTo(8);
        assertThat(last.usable()).isEqualTo(8);
        assertThat(seen.convergedAt()).isEqualTo(-1);
    }

    /** Five of ten are lost. The server has 13 places, so three more can be opened until the lost sessions expire. */
    @Test
    void countsAnEndedConnectionTowardsItsCapForAsLongAsItIsTold() {
        SmallScenario lost =
                SmallScenario.of(service("a").target(10)).unlimited().cap(13).drop("10s", 0.5);
        assertThat(lost.run().at("15s", "a").open()).isEqualTo(10);

        Seen seen = lost.closedHeldFor("30s").run();
        assertThat(seen.at("15s", "a").open()).isEqualTo(8);
        assertThat(seen.at("39s", "a").open()).isEqualTo(8);
        assertThat(seen.last("a").open()).isEqualTo(10);
        assertThat(seen.last("a").openFailures().get(OpenFailureReason.SERVER_FULL))
                .isPositive();
    }

    @Test
    void anOutageEndsWhatItHeld() {
        Seen seen = SmallScenario.of(service("a").target(10))
                .unlimited()
                .cap(10)
                .closedHeldFor("1h")
                .lasting("10s", FaultKind.DATABASE_OUTAGE, "1s")
                .run();
        assertThat(seen.last("a").open()).isEqualTo(10);
    }

    @Test
    void cutsConnectionsThatGrowTooOldWithoutTellingTheirHolder() {
        Seen seen = SmallScenario.of(service("a").target(4))
                .unlimited()
                .maxAge("30s")
                .sampledEvery("10ms")
                .run();
        // Opened after 20 ms. The next validation is the first to notice that they are gone.
        assertThat(seen.at("30s", "a").open()).isEqualTo(4);
        assertThat(seen.at("30.03s", "a").open()).isZero();
        assertThat(seen.at("30.03s", "a").ready()).isEqualTo(4);
        assertThat(seen.at("30.03s", "a").usable()).isZero();
        assertThat(seen.second(30).closures()).isEqualTo(4);
        // 40 steps up to ten minutes: 15 s each.
        assertThat(seen.outcome().ageStepNanos())
                .isEqualTo(Duration.ofSeconds(15).toNanos());
        assertThat(seen.outcome().ages().get(2)).isEqualTo(4);
    }

    @Test
    void cutsNothingThatIsReplacedInTime() {
        Seen seen = SmallScenario.of(
                        service("a").target(4).lives("20s", "4s", "2s").even(10))
                .maxAge("30s")
                .lasts("5m")
                .run();
        assertThat(seen.last("a").failedWork()).isZero();
        assertThat(seen.last("a").discards(DiscardReason.BAD)).isZero();
        assertThat(seen.last("a").refills()).isGreaterThan(40);
    }

    @Test
    void takesAsLongForAHandshakeAsItIsTold() {
        Seen fixed =
                SmallScenario.of(service("a")).unlimited().handshake("500ms").run();
        assertThat(fixed.convergedAt()).isEqualTo(0.5);
    }

    /** The numbers of connections open after 100, 200 and 400 ms, of 1,000. */
    private static int[] opened(Latency handshake) {
        Seen seen = SmallScenario.of(service("a").target(1_000))
                .unlimited()
                .handshake(handshake)
                .sampledEvery("100ms")
                .lasts("3s")
                .run();
        return new int[] {
            seen.at("100ms", "a").open(),
            seen.at("200ms", "a").open(),
            seen.at("400ms", "a").open()
        };
    }

    @Test
    void drawsHandshakesFromTheirDistribution() {
        int[] even = opened(Latency.uniform(millis(100), millis(300)));
        assertThat(even[0]).isZero();
        assertThat(even[1]).isBetween(450, 550);
        assertThat(even[2]).isEqualTo(1_000);
        int[] skewed = opened(Latency.logNormal(millis(100), millis(400)));
        assertThat(skewed[0]).isBetween(450, 550);
        assertThat(skewed[2]).isBetween(980, 1_000);
        int[] memoryless = opened(Latency.exponential(millis(100)));
        assertThat(memoryless[0]).isBetween(580, 680);
        assertThat(memoryless[1]).isBetween(830, 900);
    }

    @Test
    void refusesEverythingWhileItIsDownAndHasLostAll() {
        Seen seen = SmallScenario.of(service("a").even(20))
                .lasting("10s", FaultKind.DATABASE_OUTAGE, "10s")
                .run();
        assertThat(seen.at("9s", "a").open()).isEqualTo(10);
        assertThat(seen.at("15s", "a").open()).isZero();
        assertThat(seen.at("20s", "a").open()).isZero();
        assertThat(seen.at("20s", "a").openFailures()).containsKey(OpenFailureReason.CONNECT);
        assertThat(seen.at("40s", "a").usable()).isEqualTo(10);
        assertThat(seen.marks("fault")).containsExactly("the database is down");
        assertThat(seen.marks("recovery")).containsExactly("the database is back");
    }

    @Test
    void losesTheConnectionsOfProcessesThatAreEndingToo() {
        // The connections in use in the process that ends at 10 s are released at 12 s.
        Seen seen = SmallScenario.of(service("a").recorded("9s").holds("4s"))
                .scale("10s", 0)
                .lasting("11s", FaultKind.DATABASE_OUTAGE, "1s")
                .run();
        assertThat(seen.at("10s", "a").open()).isEqualTo(10);
        assertThat(seen.at("11s", "a").open()).isZero();
        assertThat(seen.last("a").failedWork()).isEqualTo(1);
    }

    @Test
    void isDownUntilTheLastOfTwoOutagesEnds() {
        Seen seen = SmallScenario.of(service("a").even(20))
                .lasting("10s", FaultKind.DATABASE_OUTAGE, "5s")
                .lasting("12s", FaultKind.DATABASE_OUTAGE, "10s")
                .run();
        assertThat(seen.at("21s", "a").open()).isZero();
        assertThat(seen.marks("recovery")).containsExactly("the database is back");
        assertThat(seen.at("40s", "a").usable()).isEqualTo(10);
    }

    @Test
    void letsAShareOfTheConnectsHangAndAnswersThemLate() {
        Seen seen = SmallScenario.of(service("a").target(100).connectTimeout("2s"))
                .unlimited()
                .fault("0s", FaultKind.HUNG_CONNECTS, 0.3, "20s")
                .run();
        Sample early = seen.at("1s", "a");
        assertThat(early.open()).isBetween(60, 80);
        assertThat(early.opening()).isEqualTo(100 - early.open());
        Sample last = seen.last("a");
        long hung = last.openFailures().get(OpenFailureReason.CONNECT_TIMEOUT);
        assertThat(hung).isGreaterThanOrEqualTo(early.opening());
        // All connects are answered at the end, and their connections are closed.
        assertThat(last.discards(DiscardReason.LATE)).isEqualTo(hung);
        assertThat(last.open()).isEqualTo(100);
        assertThat(last.usable()).isEqualTo(100);
    }

    @Test
    void takesLongerForHandshakesForAWhile() {
        Seen seen = SmallScenario.of(
                        service("a").starts("5s", "0"), service("b").starts("15s", "0"))
                .unlimited()
                .slowConnects("1s", "10s", "3s")
                .run();
        assertThat(seen.at("7s", "a").open()).isZero();
        assertThat(seen.at("8s", "a").open()).isEqualTo(10);
        assertThat(seen.convergedAt()).isCloseTo(15.02, within(1e-6));
        assertThat(seen.marks("fault")).containsExactly("connects take 3.0 s");
    }
}
