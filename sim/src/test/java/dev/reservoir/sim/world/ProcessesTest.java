package dev.reservoir.sim.world;

import static dev.reservoir.sim.SmallService.service;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.sim.PoolKind;
import dev.reservoir.sim.Seen;
import dev.reservoir.sim.SmallScenario;
import dev.reservoir.sim.result.Sample;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ProcessesTest {
    @Test
    void processesStartOneAfterTheOther() {
        Seen seen =
                SmallScenario.of(service("a").instances(3).starts("2s", "3s")).run();
        assertThat(seen.at("1s", "a").instances()).isZero();
        assertThat(seen.at("4s", "a").instances()).isEqualTo(1);
        assertThat(seen.at("5s", "a").instances()).isEqualTo(2);
        assertThat(seen.at("8s", "a").instances()).isEqualTo(3);
        assertThat(seen.at("4s", "a").target()).isEqualTo(10);
        assertThat(seen.last("a").target()).isEqualTo(30);
        // The target counts all processes that should run, including those that have not started.
        assertThat(seen.convergedAt()).isGreaterThan(8);
    }

    @ParameterizedTest
    @EnumSource(PoolKind.class)
    void aRollingRestartUnderLoadReplacesEachProcessAndLosesNothing(PoolKind pool) {
        Seen seen = SmallScenario.of(
                        service("a").instances(2).even(20).holds("50ms"),
                        service("b").even(20))
                .restart("10s", "5s", false)
                .promisesKept()
                .run(pool);
        assertThat(seen.marks("fault")).containsExactly("a-1 restarts", "a-2 restarts", "b-1 restarts");
        Sample a = seen.last("a");
        assertThat(a.instances()).isEqualTo(2);
        assertThat(a.target()).isEqualTo(20);
        // The reservoir for Go opens further connections while some are in use.
        int most = pool == PoolKind.GO_RESERVOIR ? 24 : 20;
        assertThat(a.usable()).isBetween(20, most);
        assertThat(a.open()).isBetween(20, most);
        assertThat(a.failedWork()).isZero();
        assertThat(a.timeouts()).isZero();
        assertThat(a.discards(DiscardReason.SHUTDOWN)).isBetween(20L, 22L);
        assertThat(a.refills()).isGreaterThanOrEqualTo(40);
        assertThat(a.workStarted() - a.workCompleted()).isLessThanOrEqualTo(4);
        assertThat(seen.outcome().verdicts()).allMatch(v -> v.holds());
    }

    @Test
    void aRestartByServiceReplacesAllItsProcessesTogether() {
        Seen seen = SmallScenario.of(service("a").instances(2), service("b"))
                .restart("10s", "20s", true)
                .run();
        assertThat(seen.outcome().marks().stream()
                        .filter(m -> m.kind().equals("fault"))
                        .map(m -> m.atNanos() / 1_000_000_000))
                .containsExactly(10L, 10L, 30L);
    }

    @Test
    void whatIsHeldLongerThanThePoolWaitsForIsClosedUnderItsUser() {
        Seen seen = SmallScenario.of(service("a").recorded("5s").holds("30s"))
                .restart("10s", "0", true)
                .promisesKept()
                .run();
        // The drain time of ten seconds is over.
        assertThat(seen.at("19s", "a").open()).isEqualTo(11);
        assertThat(seen.at("21s", "a").open()).isEqualTo(10);
        assertThat(seen.last("a").failedWork()).isEqualTo(1);
        // The connections of the process that replaced it.
        assertThat(seen.last("a").workCompleted()).isEqualTo(1);
    }

    @Test
    void thoseWhoWaitWhenTheirPoolIsClosedAreNotTimeouts() {
        Seen seen = SmallScenario.of(
                        service("a").target(1).bursts("3s", 5).holds("20s").waitsAtMost("1m"))
                .restart("10s", "0", true)
                .lasts("12s")
                .run();
        assertThat(seen.at("9s", "a").waiting()).isGreaterThan(5);
        assertThat(seen.last("a").timeouts()).isZero();
    }

    @Test
    void aConflictIsNotTriedAgainInAProcessThatEnds() {
        Seen seen = SmallScenario.of(service("a").even(50).conflicts(1))
                .scale("10s", 0)
                .run();
        assertThat(seen.last("a").emptyEvents()).isZero();
        assertThat(seen.last("a").conflicts()).isPositive();
        assertThat(seen.last("a").instances()).isZero();
    }

    @Test
    void processesThatDieLeaveTheirConnectionsForAWhileAndComeBack() {
        Seen seen = SmallScenario.of(service("a").instances(3).even(10))
                .crashNotice("5s")
                .crash("10s", 0.34, "10s")
                .promisesKept()
                .run();
        assertThat(seen.at("9s", "a").instances()).isEqualTo(3);
        Sample during = seen.at("12s", "a");
        assertThat(during.instances()).isEqualTo(2);
        assertThat(during.target()).isEqualTo(20);
        assertThat(during.usable()).isEqualTo(20);
        assertThat(during.open()).isEqualTo(30);
        assertThat(seen.at("16s", "a").open()).isEqualTo(20);
        assertThat(seen.last("a").instances()).isEqualTo(3);
        assertThat(seen.last("a").usable()).isEqualTo(30);
        assertThat(seen.last("a").open()).isEqualTo(30);
        assertThat(seen.marks("fault")).containsExactly("1 processes die");
        assertThat(seen.marks("recovery")).containsExactly("1 processes start again");
        assertThat(seen.outcome().verdicts()).allMatch(v -> v.holds());
    }

    @Test
    void aConnectUnderWayWhenItsProcessDiesLeavesNoConnection() {
        Seen seen = SmallScenario.of(service("a"))
                .unlimited()
                .handshake("3s")
                .crash("1s", 1, "0")
                .crashNotice("1500ms")
                .run();
        assertThat(seen.at("4s", "a").open()).isEqualTo(10);
        assertThat(seen.last("a").open()).isZero();
        assertThat(seen.last("a").usable()).isZero();
        assertThat(seen.last("a").target()).isZero();
    }

    @Test
    void thoseThatDieForGoodAreNotMissed() {
        Seen seen = SmallScenario.of(service("a").instances(2))
                .crash("1ms", 0.5, "0")
                .run();
        assertThat(seen.last("a").instances()).isEqualTo(1);
        assertThat(seen.convergedAt()).isPositive();
    }

    @Test
    void aProcessThatStandsStillDoesItsWorkLate() {
        Seen seen = SmallScenario.of(service("a").even(10).holds("100ms"))
                .hang("10.05s", 1, "20s")
                .promisesKept()
                .run();
        long before = seen.at("11s", "a").workStarted();
        assertThat(seen.at("30s", "a").workStarted()).isEqualTo(before);
        assertThat(seen.at("30s", "a").inUse()).isEqualTo(1);
        Sample after = seen.at("31s", "a");
        // The checkouts that arrived in the 20 s in which the process hung, and those since.
        assertThat(after.workStarted()).isBetween(before + 205, before + 211);
        assertThat(seen.last("a").failedWork()).isZero();
        assertThat(seen.last("a").usable()).isEqualTo(10);
        assertThat(seen.marks("fault")).containsExactly("1 processes hang");
        assertThat(seen.marks("recovery")).containsExactly("1 processes continue");
        assertThat(seen.outcome().verdicts()).allMatch(v -> v.holds());
    }

    @Test
    void aProcessThatIsHeldUpTwiceGoesOnAfterTheSecond() {
        Seen seen = SmallScenario.of(service("a").even(10))
                .hang("10s", 1, "10s")
                .hang("15s", 1, "10s")
                .run();
        assertThat(seen.at("24s", "a").workStarted())
                .isEqualTo(seen.at("10s", "a").workStarted());
        assertThat(seen.at("30s", "a").workStarted())
                .isGreaterThan(seen.at("24s", "a").workStarted());
    }

    @Test
    void aProcessThatDiesWhileItStandsStillDoesNothingMore() {
        Seen seen = SmallScenario.of(service("a").even(10))
                .hang("10s", 1, "10s")
                .crash("15s", 1, "0")
                .promisesKept()
                .run();
        assertThat(seen.last("a").workStarted()).isEqualTo(seen.at("10s", "a").workStarted());
        assertThat(seen.last("a").open()).isZero();
        assertThat(seen.outcome().verdicts()).allMatch(v -> v.holds());
    }

    @Test
    void aProcessThatIsStoppedWhileItStandsStillClosesWhenItGoesOn() {
        Seen seen = SmallScenario.of(service("a"))
                .hang("10s", 1, "20s")
                .scale("15s", 0)
                .promisesKept()
                .run();
        assertThat(seen.at("29s", "a").open()).isEqualTo(10);
        assertThat(seen.at("31s", "a").open()).isZero();
        assertThat(seen.outcome().verdicts()).allMatch(v -> v.holds());
    }

    @Test
    void scalesOutAndIn() {
        Seen seen = SmallScenario.of(service("a").instances(2).even(10), service("b"))
                .scale("10s", 5, "a")
                .scale("30s", 1, "a")
                .promisesKept()
                .run();
        assertThat(seen.at("20s", "a").instances()).isEqualTo(5);
        assertThat(seen.at("20s", "a").target()).isEqualTo(50);
        assertThat(seen.at("20s", "a").usable()).isEqualTo(50);
        Sample last = seen.last("a");
        assertThat(last.instances()).isEqualTo(1);
        assertThat(last.target()).isEqualTo(10);
        assertThat(last.usable()).isEqualTo(10);
        assertThat(last.open()).isEqualTo(10);
        assertThat(last.discards(DiscardReason.SHUTDOWN)).isEqualTo(40);
        assertThat(last.workStarted() - last.workCompleted()).isLessThanOrEqualTo(1);
        assertThat(seen.last("b").instances()).isEqualTo(1);
        assertThat(seen.marks("fault"))
                .containsExactly("a is scaled from 2 to 5 processes", "a is scaled from 5 to 1 processes");
    }

    @Test
    void thoseThatWereToStartLaterDoNotStartAfterScalingIn() {
        Seen seen = SmallScenario.of(service("a").instances(5).starts("0", "10s"))
                .scale("15s", 1)
                .run();
        assertThat(seen.last("a").instances()).isEqualTo(1);
    }

    @Test
    void thoseThatDiedDoNotComeBackAfterScalingIn() {
        Seen seen = SmallScenario.of(service("a").instances(4))
                .crash("10s", 0.5, "20s")
                .scale("20s", 1)
                .run();
        assertThat(seen.last("a").instances()).isEqualTo(1);
        assertThat(seen.marks("recovery")).containsExactly("0 processes start again");
    }

    @Test
    void oneThatWasStoppedIsNotRestarted() {
        Seen seen = SmallScenario.of(service("a").instances(3))
                .restart("10s", "10s", false)
                .scale("15s", 1)
                .run();
        assertThat(seen.last("a").instances()).isEqualTo(1);
    }
}
