package dev.reservoir.sim;

import static dev.reservoir.sim.SmallScenario.time;
import static dev.reservoir.sim.SmallService.service;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.sim.result.Outcome.Verdict;
import dev.reservoir.sim.scenario.Scenario.FaultKind;
import dev.reservoir.sim.scenario.Scenario.Sharing;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class VerdictsTest {
    /** Opens 20 connections within a second. One of two checkouts waits 1 s. Six connections close at 30 s. */
    private static SmallScenario usual() {
        return SmallScenario.of(
                        service("a")
                                .target(1)
                                .recorded("10s", "10s")
                                .holds("1s")
                                .waitsAtMost("3s"),
                        service("b").target(20).starts("3s", "0"),
                        service("c").instances(3).target(2).starts("5s", "0"))
                .limiter(20, 1, Sharing.SHARED)
                .scale("30s", 0, "c");
    }

    private static Verdict verdict(SmallScenario scenario, Consumer<Wanted> wanted) {
        wanted.accept(scenario.expected);
        var verdicts = scenario.run().outcome().verdicts();
        assertThat(verdicts).hasSize(1);
        return verdicts.get(0);
    }

    private static void holds(Verdict verdict, String name, String expected, String found) {
        assertThat(verdict).isEqualTo(new Verdict(name, true, expected, found));
    }

    private static void fails(Verdict verdict, String name, String expected, String found) {
        assertThat(verdict).isEqualTo(new Verdict(name, false, expected, found));
    }

    @Test
    void nothingIsJudgedThatIsNotAsked() {
        assertThat(usual().run().outcome().verdicts()).isEmpty();
        assertThat(usual().run().outcome().passed()).isTrue();
    }

    @Test
    void connectsAreCountedByWholeSeconds() {
        holds(
                verdict(usual(), w -> w.maxConnectsPerSec = 19),
                "assertMaxConnectsPerSec",
                "at most 19",
                "19 connects in second 3");
        fails(
                verdict(usual(), w -> w.maxConnectsPerSec = 18),
                "assertMaxConnectsPerSec",
                "at most 18",
                "19 connects in second 3");
    }

    @Test
    void refusedConnectsAreConnectsToo() {
        SmallScenario scenario = SmallScenario.of(service("a").target(5))
                .unlimited()
                .databaseRate(0.001, 1)
                .lasts("100ms");
        assertThat(verdict(scenario, w -> w.maxConnectsPerSec = 4).found()).isEqualTo("5 connects in second 0");
    }

    @Test
    void closuresAreCountedByWholeSeconds() {
        holds(
                verdict(usual(), w -> w.maxClosurePerSec = 6),
                "assertMaxClosurePerSec",
                "at most 6",
                "6 closed in second 30");
        fails(
                verdict(usual(), w -> w.maxClosurePerSec = 5),
                "assertMaxClosurePerSec",
                "at most 5",
                "6 closed in second 30");
    }

    @Test
    void openConnectionsAreThoseOfTheDatabase() {
        holds(
                verdict(usual(), w -> w.maxOpenConnections = 27),
                "assertMaxOpenConnections",
                "at most 27",
                "27 open in second 5");
        fails(
                verdict(usual(), w -> w.maxOpenConnections = 26),
                "assertMaxOpenConnections",
                "at most 26",
                "27 open in second 5");
    }

    @Test
    void convergenceIsJudgedByWhenItWasReached() {
        Consumer<Wanted> soon = w -> {
            w.convergeWithin = time("6s");
            w.stableFor = time("5s");
        };
        holds(
                verdict(usual(), soon),
                "assertConvergeWithin",
                "every service at its target within 6.0 s, and still 5.0 s later",
                "5.32 s");
        fails(
                verdict(usual(), w -> w.convergeWithin = time("5s")),
                "assertConvergeWithin",
                "every service at its target within 5.0 s",
                "5.32 s");
    }

    @Test
    void convergenceThatDoesNotLastIsNone() {
        // Dropped after 5 s, and no connect succeeds from then on.
        SmallScenario scenario = SmallScenario.of(service("a"), service("b").target(20))
                .drop("5s", 0.5, "b")
                .lasting("5s", FaultKind.HUNG_CONNECTS, "1m");
        Consumer<Wanted> stable = w -> {
            w.convergeWithin = time("10s");
            w.stableFor = time("20s");
        };
        fails(
                verdict(scenario, stable),
                "assertConvergeWithin",
                "every service at its target within 10 s, and still 20 s later",
                "never; at the end b had 10 of 20");
    }

    @Test
    void stabilityIsJudgedByItselfWhereNoTimeIsAskedFor() {
        holds(
                verdict(usual(), w -> w.stableFor = time("5s")),
                "assertStableFor",
                "every service at its target for 5.0 s on end",
                "from 5.32 s on");
        // Dropped after 5 s, and no connect succeeds from then on.
        SmallScenario scenario = SmallScenario.of(service("a"), service("b").target(20))
                .drop("5s", 0.5, "b")
                .lasting("5s", FaultKind.HUNG_CONNECTS, "1m");
        fails(
                verdict(scenario, w -> w.stableFor = time("20s")),
                "assertStableFor",
                "every service at its target for 20 s on end",
                "never; at the end b had 10 of 20");
    }

    @Test
    void convergenceIsSeenBetweenSamples() {
        SmallScenario scenario = SmallScenario.of(service("a")).drop("10s", 0.5).sampledEvery("30s");
        Consumer<Wanted> stable = w -> {
            w.convergeWithin = time("1s");
            w.stableFor = time("5s");
        };
        assertThat(verdict(scenario, stable).found()).isEqualTo("0.16 s");
    }

    @Test
    void emptyReservoirsAreCounted() {
        fails(
                verdict(usual(), w -> w.zeroEmptyEvents = true),
                "assertZeroEmptyEvents",
                "none",
                "1 checkouts found nothing ready");
        SmallScenario enough = SmallScenario.of(service("a").even(10));
        holds(
                verdict(enough, w -> w.zeroEmptyEvents = true),
                "assertZeroEmptyEvents",
                "none",
                "0 checkouts found nothing ready");
    }

    @Test
    void timeoutsAreCounted() {
        SmallScenario scenario = SmallScenario.of(
                service("a").target(1).recorded("1s", "1s", "1s").holds("1s").waitsAtMost("1.5s"));
        holds(verdict(scenario, w -> w.maxTimeouts = 1L), "assertMaxTimeouts", "at most 1", "1 checkouts got nothing");
        fails(verdict(scenario, w -> w.maxTimeouts = 0L), "assertMaxTimeouts", "none", "1 checkouts got nothing");
    }

    @Test
    void refusalsAreCounted() {
        SmallScenario scenario =
                SmallScenario.of(service("a").target(5)).unlimited().cap(3).lasts("100ms");
        holds(
                verdict(scenario, w -> w.maxRefusedConnects = 2L),
                "assertMaxRefusedConnects",
                "at most 2",
                "2 connects refused");
        fails(
                verdict(scenario, w -> w.maxRefusedConnects = 0L),
                "assertMaxRefusedConnects",
                "none",
                "2 connects refused");
    }

    @Test
    void theLongestWaitIsJudgedExactly() {
        holds(verdict(usual(), w -> w.maxWait = time("1s")), "assertMaxWait", "at most 1.0 s", "1.0 s");
        fails(verdict(usual(), w -> w.maxWait = time("999999999ns")), "assertMaxWait", "at most 999 ms", "1.0 s");
    }

    @Test
    void theWaitOfNearlyAllIsJudged() {
        holds(verdict(usual(), w -> w.maxWaitP999 = time("1s")), "assertMaxWaitP999", "at most 1.0 s", "1.0 s");
        fails(verdict(usual(), w -> w.maxWaitP999 = time("10ms")), "assertMaxWaitP999", "at most 10 ms", "1.0 s");
    }

    @Test
    void theSmallestUsableShareIsJudged() {
        SmallScenario scenario =
                SmallScenario.of(service("a").target(20).even(50), service("b")).drop("10s", 0.2, "a");
        holds(
                verdict(scenario, w -> w.minUsableShare = 0.8),
                "assertMinUsableShare",
                "at least 80.0 % of the target",
                "80.0 %, a at 10.00 s");
        fails(
                verdict(scenario, w -> w.minUsableShare = 0.81),
                "assertMinUsableShare",
                "at least 81.0 % of the target",
                "80.0 %, a at 10.00 s");
        holds(
                verdict(SmallScenario.of(service("a")), w -> w.minUsableShare = 1.0),
                "assertMinUsableShare",
                "at least 100.0 % of the target",
                "100.0 %");
    }

    @Test
    void aFleetThatNeverWasFullHasNoUsableShare() {
        fails(
                verdict(SmallScenario.of(service("a").target(20)).cap(5), w -> w.minUsableShare = 0.1),
                "assertMinUsableShare",
                "at least 10.0 % of the target",
                "no process ever had its target");
    }

    @Test
    void leasesAreComparedWithConnectionsAtTheEnd() {
        SmallScenario scenario = SmallScenario.of(service("a")).leases(20, "10s");
        holds(
                verdict(scenario, w -> w.leasesMatchConnections = true),
                "assertLeasesMatchConnections",
                "every connection has its lease at the end, dead processes have none",
                "12 leases out, 10 used, 10 connections, 0 opening or closing");
        // No process is left that could take them back.
        SmallScenario crashed = SmallScenario.of(service("a")).leases(30, "10s").crash("10s", 1, "0");
        fails(
                verdict(crashed, w -> w.leasesMatchConnections = true),
                "assertLeasesMatchConnections",
                "every connection has its lease at the end, dead processes have none",
                "12 leases of processes that died; 12 leases out, 0 used, 0 connections, 0 opening or closing");
    }

    @Test
    void leasesOfTheGoReservoirAreComparedByTheirNumber() {
        SmallScenario crashed =
                SmallScenario.of(service("a").instances(2)).leases(30, "10s").crash("10s", 0.5, "0");
        crashed.expected.leasesMatchConnections = true;
        fails(
                crashed.run(PoolKind.GO_RESERVOIR).verdict("assertLeasesMatchConnections"),
                "assertLeasesMatchConnections",
                "as many leases as connections at the end",
                "20 leases, 10 connections, 0 opening or closing");
    }

    @Test
    void promisesAreJudgedAsKeptOrBroken() {
        holds(
                verdict(usual(), w -> w.promisesKept = true),
                "assertPromisesKept",
                "no promise of the engine broken",
                "all kept, checked after every event");
        fails(
                Verdicts.promises("promise 1: too many"),
                "assertPromisesKept",
                "no promise of the engine broken",
                "promise 1: too many");
    }

    @Test
    void promisesOfTheEngineAreNotAskedOfOtherPools() {
        SmallScenario scenario = usual().promisesKept();
        assertThat(scenario.run(PoolKind.PLAIN).outcome().verdicts()).isEmpty();
    }
}
