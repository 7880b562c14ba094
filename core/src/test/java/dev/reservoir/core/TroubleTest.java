package dev.reservoir.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.kit.Fate;
import dev.reservoir.core.kit.TestCheckout;
import dev.reservoir.core.kit.Wire;
import dev.reservoir.core.kit.World;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How the reservoir notices that connections are dead, whom it suspects, and how soon it serves again. */
class TroubleTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private static World.Builder watching(int maxOpen) {
        return World.of(maxOpen).completesAtOnce().settings(s -> s.validationInterval(SECOND));
    }

    @Test
    void everySecondTheOneThatWentUnvalidatedLongestIsValidated() {
        World world = watching(5).build().filled(5);
        // From the second second on: before, all have just shown that they work.
        world.advance(Duration.ofSeconds(11));
        assertThat(world.connector.validationsBegun).isEqualTo(10);
        assertThat(world.connector.open).allMatch(wire -> wire.validations == 2);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void thoughNobodyUsesItTroubleIsNoticedWithinTwoSecondsAndEverythingIsReplaced() {
        World world = watching(10).build().filled(10);
        world.advance(Duration.ofSeconds(3));
        world.connector.breakAll();
        world.advance(Duration.ofSeconds(2));
        assertThat(world.checker.discards).containsExactlyEntriesOf(Map.of(DiscardReason.VALIDATION_FAILED, 10));
        world.advance(Duration.ofSeconds(3));
        assertThat(world.counts().ready()).isEqualTo(10);
        assertThat(world.connector.open).noneMatch(wire -> wire.broken);
        world.closeAndCheck(Duration.ZERO);
    }

    /** Whenever in the second between two validations it happens, and however many connections there are. */
    @ParameterizedTest
    @CsvSource({"1,0", "1,700", "2,300", "10,0", "10,1", "10,250", "10,500", "10,750", "10,999", "100,400"})
    void aSilentFailOverIsNoticedWithinTwoSecondsAndServedAgainWithinFive(int size, long phaseMillis) {
        World world = watching(size).build().filled(size);
        world.validationsAnswer = false;
        world.advance(Duration.ofSeconds(3));
        world.advanceMillis(phaseMillis);
        silence(world);
        world.advance(Duration.ofSeconds(2));
        Pooled<Wire> atOnce = world.tryAcquire();
        if (atOnce != null) {
            assertThat(atOnce.connection().broken)
                    .as("noticed: none of them is handed out")
                    .isFalse();
            world.release(atOnce);
        }
        TestCheckout first = world.acquire(Duration.ofSeconds(3));
        world.advance(Duration.ofSeconds(3));
        assertThat(first.isServed()).as("served again").isTrue();
        assertThat(first.pooled().connection().broken).isFalse();
        // All the others are replaced as well.
        world.filled(size - 1);
        assertThat(world.connector.open).noneMatch(wire -> wire.broken);
        world.release(first.pooled());
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void withoutAnAllowanceTheOneThatHangsGivesItsPlaceToSomebodyWhoWaits() {
        World world = watching(3).settings(s -> s.successorAllowance(0)).build().filled(3);
        world.advance(Duration.ofSeconds(3));
        silence(world);
        world.advance(Duration.ofSeconds(2));
        TestCheckout first = world.acquire(Duration.ofSeconds(5));
        world.advance(Duration.ofSeconds(3));
        assertThat(first.isServed()).isTrue();
        assertThat(first.pooled().connection().broken).isFalse();
        world.release(first.pooled());
        world.closeAndCheck(Duration.ZERO);
    }

    /** Packets vanish: whatever was open never answers again; new connects work. */
    private static void silence(World world) {
        world.connector.breakAll();
        world.connector.validating = wire -> wire.broken ? Fate.hang() : Fate.succeed(1_000_000L);
    }

    @Test
    void aServerThatStallsForAMomentLosesNoConnection() {
        World world = watching(10).build().filled(10);
        world.advance(Duration.ofSeconds(3));
        world.connector.validating = wire -> Fate.succeed(3_000_000_000L);
        world.connector.opening = n -> Fate.succeed(3_000_000_000L);
        world.advance(Duration.ofSeconds(5));
        assertThat(world.checker.discards).doesNotContainKey(DiscardReason.VALIDATION_FAILED);
        world.closeAndCheck(Duration.ZERO);
    }

    /**
     * After a pause of the process, the answers to a connect and to a validation lie there together, and one is read
     * first.
     */
    @Test
    void aConnectThatWasUnderWayMeanwhileDoesNotCondemnAValidation() {
        World world = watching(10).build().filled(10);
        world.advance(Duration.ofSeconds(2));
        Pooled<Wire> broken = world.take();
        world.connector.validating = wire -> Fate.succeed(1_500_000_000L);
        world.connector.opening = n -> Fate.succeed(1_300_000_000L);
        int before = world.connector.validationsBegun;
        world.advanceUntil("a validation began", SECOND, () -> world.connector.validationsBegun > before);
        world.advanceMillis(1);
        world.discard(broken, DiscardReason.BAD);
        world.advance(Duration.ofSeconds(3));
        assertThat(world.checker.discards).containsExactlyEntriesOf(Map.of(DiscardReason.BAD, 1));
        world.closeAndCheck(Duration.ZERO);
    }

    /**
     * The process stood still for 5 s. The answer to a validation has come meanwhile, and is read a moment after a
     * connect's.
     */
    @Test
    void afterAPauseOfTheProcessAHealthyValidationIsNotLost() {
        for (long stoppedAfterMillis : new long[] {1, 500, 999}) {
            World world = watching(10).build().filled(10);
            world.advance(Duration.ofSeconds(2));
            Pooled<Wire> broken = world.take();
            world.connector.opening = n -> Fate.succeed(1_000_000L);
            long answeredNanos = 5_010_000_000L + stoppedAfterMillis * 1_000_000L;
            world.connector.validating = wire -> Fate.succeed(answeredNanos);
            int before = world.connector.validationsBegun;
            world.advanceUntil("a validation began", SECOND, () -> world.connector.validationsBegun > before);
            world.advanceMillis(stoppedAfterMillis);
            world.clock.jump(Duration.ofSeconds(5).toNanos());
            world.connector.validating = wire -> Fate.succeed(1_000_000L);
            world.discard(broken, DiscardReason.BAD);
            world.advanceMillis(5);
            assertThat(world.connector.arrived)
                    .as("the server has answered a connect")
                    .isEqualTo(11);
            world.advance(Duration.ofSeconds(3));
            assertThat(world.checker.discards)
                    .as("stopped after %d ms", stoppedAfterMillis)
                    .containsExactlyEntriesOf(Map.of(DiscardReason.BAD, 1));
            assertThat(world.counts().ready()).isEqualTo(10);
            world.closeAndCheck(Duration.ZERO);
        }
    }

    @Test
    void afterAPauseADeadConnectionIsStillFound() {
        World world = watching(4).build().filled(4);
        world.advance(Duration.ofSeconds(3));
        silence(world);
        int before = world.connector.validationsBegun;
        world.advanceUntil("a validation began", SECOND, () -> world.connector.validationsBegun > before);
        world.clock.jump(Duration.ofSeconds(5).toNanos());
        world.advance(Duration.ofSeconds(6));
        assertThat(world.connector.open).noneMatch(wire -> wire.broken);
        world.filled(4);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void aCheckoutWhoseValidationHangsHearsAsSoonAsTheServerAnswersOthers() {
        for (int size : new int[] {1, 2, 10}) {
            World world = World.of(size).completesAtOnce().build().filled(size);
            world.advance(Duration.ofSeconds(3));
            silence(world);
            Pooled<Wire> hanging = world.take();
            long asked = world.clock.nanos();
            world.advance(Reservoir.DOUBT_AFTER);
            CompletableFuture<Void> lost = doubt(world, hanging, asked);
            world.advanceMillis(10);
            assertThat(lost).as("%d connections", size).isCompleted();
            assertThat(hanging.connection().closedFor).isEqualTo(DiscardReason.UNRESPONSIVE);
            world.discard(hanging, DiscardReason.VALIDATION_FAILED);
            TestCheckout next = world.acquire(SECOND);
            world.advance(SECOND);
            assertThat(next.pooled().connection().broken).isFalse();
            world.release(next.pooled());
            world.advance(Duration.ofSeconds(3));
            assertThat(world.connector.open).noneMatch(wire -> wire.broken);
            assertThat(world.counts().ready()).isEqualTo(size);
            world.closeAndCheck(Duration.ZERO);
        }
    }

    @Test
    void anotherValidationThatTheServerAnswersIsEnoughThoughNoneCanBeOpened() {
        World world = World.of(3)
                .completesAtOnce()
                .settings(s -> s.successorAllowance(0))
                .build()
                .filled(3);
        world.advance(SECOND);
        Pooled<Wire> hanging = world.take();
        long asked = world.clock.nanos();
        world.advance(Reservoir.DOUBT_AFTER);
        CompletableFuture<Void> lost = doubt(world, hanging, asked);
        world.advanceMillis(10);
        assertThat(lost).isCompleted();
        assertThat(world.connector.validationsBegun).isEqualTo(2);
        world.discard(hanging, DiscardReason.VALIDATION_FAILED);
        world.filled(3);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void aServerThatAnswersNobodyCondemnsNoCheckout() {
        World world = World.of(3).completesAtOnce().build().filled(3);
        world.advance(SECOND);
        world.connector.validating = wire -> Fate.succeed(3_000_000_000L);
        world.connector.opening = n -> Fate.succeed(3_000_000_000L);
        Pooled<Wire> hanging = world.take();
        long asked = world.clock.nanos();
        world.advance(Reservoir.DOUBT_AFTER);
        CompletableFuture<Void> lost = doubt(world, hanging, asked);
        world.advance(Duration.ofMillis(2_900));
        assertThat(lost).isNotDone();
        assertThat(hanging.connection().closedFor).isNull();
        world.release(hanging);
        world.advance(Duration.ofSeconds(10));
        assertThat(lost).as("it has answered after all").isNotDone();
        assertThat(world.checker.discards).doesNotContainKey(DiscardReason.UNRESPONSIVE);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void whatWasAnsweredBeforeTheValidationHungSaysNothing() {
        World world = World.of(1)
                .completesAtOnce()
                .settings(s -> s.successorAllowance(0))
                .build()
                .filled(1);
        Pooled<Wire> hanging = world.take();
        long asked = world.clock.nanos();
        world.advanceMillis(10);
        assertThat(settledDoubt(world, hanging, asked)).as("too soon").isNotDone();
        world.advance(Duration.ofSeconds(5));
        assertThat(settledDoubt(world, hanging, asked))
                .as("nobody else was asked")
                .isNotDone();
        world.release(hanging);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void ifTheConnectThatWasToShowItFailsAnotherIsTried() {
        World world = World.of(2).completesAtOnce().build().filled(2);
        world.advance(SECOND);
        // Nobody else can be asked.
        List<Pooled<Wire>> all = world.take(2);
        long asked = world.clock.nanos();
        world.connector.opening =
                n -> n == 3 ? Fate.fail(OpenFailureReason.CONNECT, 1_000_000L) : Fate.succeed(1_000_000L);
        world.advance(Reservoir.DOUBT_AFTER);
        CompletableFuture<Void> lost = doubt(world, all.get(0), asked);
        world.advanceMillis(10);
        assertThat(lost).as("the connect failed").isNotDone();
        world.advance(Duration.ofSeconds(3));
        assertThat(lost).isCompleted();
        assertThat(all.get(0).connection().closedFor).isEqualTo(DiscardReason.UNRESPONSIVE);
        world.discard(all.get(0), DiscardReason.VALIDATION_FAILED);
        world.release(all.get(1));
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void onceTheConnectionHasAnsweredNoConnectIsMadeForIt() {
        World world = World.of(2).completesAtOnce().build().filled(2);
        world.advance(SECOND);
        List<Pooled<Wire>> all = world.take(2);
        long asked = world.clock.nanos();
        world.connector.opening = n -> Fate.fail(OpenFailureReason.CONNECT, 1_000_000L);
        world.advance(Reservoir.DOUBT_AFTER);
        CompletableFuture<Void> lost = doubt(world, all.get(0), asked);
        world.advanceMillis(10);
        world.release(all.get(0));
        int begun = world.connector.opensBegun;
        world.advance(Duration.ofSeconds(30));
        assertThat(world.connector.opensBegun).isEqualTo(begun);
        assertThat(lost).isNotDone();
        world.release(all.get(1));
        world.closeAndCheck(Duration.ZERO);
    }

    private static CompletableFuture<Void> settledDoubt(World world, Pooled<Wire> pooled, long askedNanos) {
        CompletableFuture<Void> lost = doubt(world, pooled, askedNanos);
        world.settle();
        return lost;
    }

    private static CompletableFuture<Void> doubt(World world, Pooled<Wire> pooled, long askedNanos) {
        List<CompletableFuture<Void>> made = new ArrayList<>();
        world.call(() -> made.add(world.reservoir.doubt(pooled, askedNanos)));
        return made.get(0);
    }

    @Test
    void afterAFalseAlarmOneBrokenConnectionIsNoReasonToDoubtTheOthers() {
        World world = World.of(10).completesAtOnce().build().filled(10);
        world.advance(SECOND);
        world.discard(world.take(), DiscardReason.BAD);
        world.call(world.reservoir::suspectOthers);
        world.settle();
        assertThat(world.counts().ready())
                .as("the first time all are validated")
                .isZero();
        world.advance(SECOND);
        assertThat(world.connector.validationsBegun).isEqualTo(9);
        assertThat(world.counts().ready()).isEqualTo(10);
        world.discard(world.take(), DiscardReason.BAD);
        world.call(world.reservoir::suspectOthers);
        world.settle();
        assertThat(world.connector.validationsBegun)
                .as("now one is asked for all")
                .isEqualTo(10);
        assertThat(world.counts().ready()).isEqualTo(8);
        world.advance(Duration.ofMinutes(2));
        world.discard(world.take(), DiscardReason.BAD);
        int before = world.connector.validationsBegun;
        world.call(world.reservoir::suspectOthers);
        world.advance(SECOND);
        assertThat(world.connector.validationsBegun - before)
                .as("much later all again")
                .isEqualTo(9);
        world.closeAndCheck(Duration.ZERO);
    }

    /** All ten connections break, and a caller notices that of one. */
    private static void assertAllAreFoundBrokenAfterOneWas(World world) {
        Pooled<Wire> first = world.take();
        world.connector.breakAll();
        world.discard(first, DiscardReason.BAD);
        world.call(world.reservoir::suspectOthers);
        world.advanceMillis(10);
        assertThat(world.checker.discards.get(DiscardReason.VALIDATION_FAILED)).isEqualTo(9);
        world.filled(10);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void afterAFalseAlarmARealOneIsNoticedByTheOneThatIsAsked() {
        World world = World.of(10).completesAtOnce().build().filled(10);
        world.discard(world.take(), DiscardReason.BAD);
        world.call(world.reservoir::suspectOthers);
        world.advance(SECOND);
        assertAllAreFoundBrokenAfterOneWas(world);
    }

    @Test
    void ifTheNextOneIsBrokenAsWellAllAreSuspect() {
        World world = World.of(10).completesAtOnce().build().filled(10);
        world.advance(SECOND);
        assertAllAreFoundBrokenAfterOneWas(world);
    }

    @Test
    void brokenSessionsThatComeOftenCostEachOneValidationAndNobodyWaitsForThem() {
        World world = World.of(20)
                .completesAtOnce()
                .script(w -> w.connector.validating = wire -> Fate.succeed(20_000_000L))
                .build()
                .filled(20);
        world.advance(SECOND);
        int waited = 0;
        for (int i = 0; i < 100; i++) {
            world.discard(world.take(), DiscardReason.BAD);
            world.call(world.reservoir::suspectOthers);
            List<Pooled<Wire>> taken = new ArrayList<>();
            for (int n = 0; n < 10; n++) {
                TestCheckout checkout = world.acquire(SECOND);
                waited += checkout.isServed() || i == 0 ? 0 : 1;
                world.advanceMillis(i == 0 ? 100 : 2);
                taken.add(checkout.pooled());
            }
            taken.forEach(world::release);
            world.advanceMillis(180);
        }
        assertThat(waited).as("after the first, which was a false alarm").isZero();
        assertThat(world.connector.validationsBegun).isLessThanOrEqualTo(100 + 20);
        world.closeAndCheck(Duration.ZERO);
    }

    /** The answer may be older than the trouble. */
    @Test
    void aValidationThatBeganBeforeTheLastSignOfTroubleIsRepeated() {
        World world = World.of(1)
                .script(w -> w.connector.validating = wire -> Fate.succeed(20_000_000L))
                .build()
                .filled(1);
        world.advanceMillis(1);
        world.suspectAll();
        world.advanceMillis(10);
        world.suspectAll();
        world.advanceMillis(15);
        assertThat(world.counts().ready()).as("after the first answer").isZero();
        assertThat(world.connector.validationsBegun).isEqualTo(2);
        world.advanceMillis(20);
        assertThat(world.counts().ready()).as("after the second").isEqualTo(1);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void signsOfTroubleThatComeFasterThanAnswersDoNotKeepAConnectionForEver() {
        // Without an allowance, so that no new connection serves in place of the suspects.
        World world = World.of(4)
                .settings(s -> s.successorAllowance(0))
                .script(w -> w.connector.validating = wire -> Fate.succeed(20_000_000L))
                .build()
                .filled(4);
        // So that the first sign comes after they were opened, and concerns them.
        world.advanceMillis(1);
        int served = 0;
        for (int i = 0; i < 100; i++) {
            world.suspectAll();
            TestCheckout checkout = world.acquire(Duration.ofMillis(500));
            world.advanceMillis(5);
            if (checkout.isServed()) {
                served++;
                world.release(checkout.pooled());
            } else {
                world.call(() -> checkout.future.cancel(false));
            }
        }
        assertThat(served).as("while the signs go on").isPositive();
        assertThat(world.connector.open).allMatch(wire -> wire.validations <= 30);
        world.advanceMillis(100);
        assertThat(world.counts().ready()).isEqualTo(4);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void aConnectionThatCouldNotBeAskedIsNotThrownAway() {
        World world = watching(4).build().filled(4);
        world.connector.validating = wire -> Fate.fail(OpenFailureReason.CONNECT, 0);
        world.advance(Duration.ofSeconds(5));
        assertThat(world.checker.discards).isEmpty();
        assertThat(world.counts().ready()).isEqualTo(4);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void aSuspectThatCannotBeAskedIsNotHandedOutUntilItCan() {
        World world = World.of(4).completesAtOnce().build().filled(4);
        world.advance(SECOND);
        world.connector.validating = wire -> Fate.fail(OpenFailureReason.CONNECT, 0);
        world.suspectAll();
        world.settle();
        assertThat(world.counts()).extracting(Counts::ready, Counts::validating).containsExactly(0, 4);
        world.connector.validating = wire -> Fate.succeed(1_000_000L);
        world.advance(SECOND);
        assertThat(world.counts().ready()).isEqualTo(4);
        assertThat(world.checker.discards).isEmpty();
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void whileCallersWaitConnectsAreTriedAtMostHalfASecondApart() {
        List<Long> tries = new ArrayList<>();
        boolean[] away = {false};
        World world = World.of(2)
                .completesAtOnce()
                .script(w -> w.connector.opening = n -> {
                    tries.add(w.clock.nanos());
                    return away[0] ? Fate.fail(OpenFailureReason.CONNECT, 0) : Fate.succeed(1_000_000L);
                })
                .build()
                .filled(2);
        away[0] = true;
        world.take(2).forEach(pooled -> world.discard(pooled, DiscardReason.BAD));
        world.advance(Duration.ofMinutes(1));
        tries.clear();
        tries.add(world.clock.nanos());
        TestCheckout waiting = world.acquire(Duration.ofMinutes(1));
        world.advance(Duration.ofSeconds(20));
        tries.add(world.clock.nanos());
        assertThat(tries).hasSizeGreaterThan(40);
        for (int i = 1; i < tries.size(); i++) {
            assertThat(tries.get(i) - tries.get(i - 1)).isLessThanOrEqualTo(500_000_000L);
        }
        away[0] = false;
        world.advanceMillis(500);
        assertThat(waiting.isServed()).isTrue();
        world.release(waiting.pooled());
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void afterTheServerRefusedASuccessorForBeingFullPredecessorsRetireFirst() {
        World world = World.of(10)
                .settings(s -> s.baseLifetime(Duration.ofSeconds(60))
                        .lifetimeJitter(Duration.ofSeconds(10))
                        .guardWindow(Duration.ofSeconds(5)))
                .build();
        world.connector.opening = n -> world.connector.open.size() + world.connector.opensInFlight > 10
                ? Fate.fail(OpenFailureReason.SERVER_FULL, 1_000_000L)
                : Fate.succeed(1_000_000L);
        world.filled(10);
        world.advance(Duration.ofMinutes(8));
        assertThat(world.stats().openFailures().getOrDefault(OpenFailureReason.SERVER_FULL, 0L))
                .isBetween(1L, 2L);
        assertThat(world.counts().size()).isGreaterThanOrEqualTo(9);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void onlyCallersCountForHowLongAConnectionWasIdle() {
        World world = watching(1).build().filled(1);
        world.advance(Duration.ofSeconds(5));
        assertThat(world.connector.validationsBegun).isPositive();
        Pooled<Wire> pooled = world.take();
        assertThat(pooled.idleSinceNanos()).isEqualTo(pooled.bornNanos());
        world.reservoir.noteWorks(pooled);
        world.release(pooled);
        world.advanceMillis(300);
        assertThat(world.take().idleSinceNanos()).isEqualTo(world.clock.nanos() - 300_000_000L);
        world.closeAndCheck(Duration.ZERO);
    }
}
