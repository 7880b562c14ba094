package dev.reservoir.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.kit.Fate;
import dev.reservoir.core.kit.TestCheckout;
import dev.reservoir.core.kit.Wire;
import dev.reservoir.core.kit.World;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What happens to connections that stand ready: idle ones are trimmed, quiet ones validated, suspects validated first.
 */
class MaintenanceTest {

    private static World.Builder shrinking(Targets targets) {
        return World.of(targets).completesAtOnce().settings(s -> s.idleTimeout(Duration.ofSeconds(10)));
    }

    /** Brings so many connections about at once, and gives them back. */
    private static void peak(World world, int count) {
        List<TestCheckout> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(world.acquire(Duration.ofMinutes(1)));
        }
        world.advance(Duration.ofSeconds(1));
        all.forEach(checkout -> world.release(checkout.pooled()));
        world.settle();
    }

    @Test
    void idleConnectionsBeyondTargetAndMinimumAreTrimmed() {
        World world = shrinking(new Targets(20, 3, 0, 5)).build().filled(5);
        peak(world, 15);
        int afterPeak = world.counts().ready();
        assertThat(afterPeak).isGreaterThanOrEqualTo(15);
        world.advance(Duration.ofSeconds(9));
        assertThat(world.counts().ready()).isEqualTo(afterPeak);
        world.advance(Duration.ofSeconds(5));
        assertThat(world.counts().ready()).isEqualTo(5);
        world.advance(Duration.ofMinutes(5));
        assertThat(world.counts().ready()).isEqualTo(5);
        assertThat(world.checker.discards).containsOnlyKeys(DiscardReason.IDLE);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void aConnectionReleasedRightAfterAFlushIsNotHandedOutAgain() {
        World world = World.of(1).completesAtOnce().build().filled(1);
        Pooled<Wire> used = world.take();
        world.reservoir.flush();
        world.release(used);
        assertThat(world.reservoir.tryAcquire()).isNull();
        world.advance(Duration.ofSeconds(1));
        assertThat(world.checker.discards).containsOnlyKeys(DiscardReason.EVICTED);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void whatIsUsedIsNotIdle() {
        World world = shrinking(new Targets(10, 0, 0, 0)).build();
        peak(world, 2);
        for (int i = 0; i < 60; i++) {
            world.release(world.take());
            world.advance(Duration.ofSeconds(1));
        }
        assertThat(world.counts().size()).isEqualTo(1);
        world.advance(Duration.ofSeconds(15));
        assertThat(world.counts().size()).isZero();
        world.closeAndCheck(Duration.ZERO);
    }

    /**
     * Use is looked at only every few scans; what was used since the last look must not pass for idle, whenever that
     * was.
     */
    @Test
    void withALongTimeOutWhatWasUsedLatelyIsNotIdleEither() {
        for (int second = 155; second < 185; second++) {
            World world = World.of(new Targets(4, 1, 1, 0))
                    .completesAtOnce()
                    .settings(s -> s.idleTimeout(Duration.ofSeconds(165)).keepalive(Duration.ZERO))
                    .build();
            peak(world, 4);
            world.advanceTo(Duration.ofSeconds(second).toNanos());
            int left = world.counts().ready();
            world.take(left).forEach(world::release);
            world.advance(Duration.ofSeconds(150));
            assertThat(world.counts().ready()).as("used at %d s", second).isEqualTo(left);
            world.advance(Duration.ofSeconds(40));
            assertThat(world.counts().ready()).isEqualTo(1);
            world.closeAndCheck(Duration.ZERO);
        }
    }

    @Test
    void withALongKeepaliveAllAreValidatedSoonAfterIt() {
        World world = World.of(7)
                .settings(s -> s.keepalive(Duration.ofSeconds(160)))
                .build()
                .filled(7);
        world.advance(Duration.ofSeconds(160 + 10 + 7));
        assertThat(world.connector.open)
                .allSatisfy(wire -> assertThat(wire.validations).isEqualTo(1));
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void withoutAnIdleTimeOutNothingIsTrimmed() {
        World world = World.of(new Targets(20, 3, 0, 0)).completesAtOnce().build();
        peak(world, 15);
        world.advance(Duration.ofMinutes(5));
        assertThat(world.checker.discards).isEmpty();
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void connectionsInUseAreNotTrimmed() {
        World world = shrinking(new Targets(10, 0, 0, 0)).build();
        peak(world, 4);
        List<Pooled<Wire>> held = world.take(3);
        world.advance(Duration.ofMinutes(1));
        assertThat(world.counts()).extracting(i -> i.size(), i -> i.inUse()).containsExactly(3, 3);
        held.forEach(world::release);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void quietConnectionsAreValidatedAFewAtATime() {
        World world = World.of(20)
                .settings(s -> s.keepalive(Duration.ofSeconds(30)))
                .script(w -> w.connector.validating = wire -> Fate.succeed(200_000_000L))
                .build()
                .filled(20);
        world.advance(Duration.ofSeconds(29));
        assertThat(world.connector.validationsBegun).isZero();
        world.advance(Duration.ofSeconds(10));
        assertThat(world.connector.validationsBegun).isEqualTo(20);
        assertThat(world.connector.validationsInFlightMost)
                .as("a quarter of what is ready")
                .isLessThanOrEqualTo(5);
        world.advance(Duration.ofSeconds(30));
        assertThat(world.connector.open).allMatch(wire -> wire.validations == 2);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void aConnectionThatFailsItsValidationIsReplacedAndTheOthersAreValidated() {
        World world = World.of(8)
                .settings(s -> s.keepalive(Duration.ofSeconds(30)))
                .build()
                .filled(8);
        world.connector.breakAll();
        world.advance(Duration.ofSeconds(33));
        assertThat(world.checker.discards)
                .containsExactlyEntriesOf(java.util.Map.of(DiscardReason.VALIDATION_FAILED, 8));
        world.filled(8);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void aValidationWithoutAnAnswerCountsAsNo() {
        World world = World.of(2)
                .settings(s -> s.keepalive(Duration.ofSeconds(30)).validationTimeout(Duration.ofSeconds(3)))
                .build()
                .filled(2);
        world.connector.validating = wire -> wire.number == 1 ? Fate.hang() : Fate.succeed(0);
        world.advance(Duration.ofSeconds(40));
        assertThat(world.checker.discards)
                .containsExactlyEntriesOf(java.util.Map.of(DiscardReason.VALIDATION_FAILED, 1));
        world.filled(2);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void withoutKeepaliveNothingIsValidated() {
        World world =
                World.of(4).settings(s -> s.keepalive(Duration.ZERO)).build().filled(4);
        world.advance(Duration.ofMinutes(8));
        assertThat(world.connector.validationsBegun).isZero();
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void suspectsAreValidatedBeforeTheyAreHandedOut() {
        World world = World.of(6)
                .completesAtOnce()
                .settings(s -> s.validationsInFlightMax(2))
                .script(w -> w.connector.validating = wire -> Fate.succeed(10_000_000L))
                .build()
                .filled(6);
        Pooled<Wire> inUse = world.take();
        world.advance(Duration.ofSeconds(1));
        world.suspectAll();
        assertThat(world.tryAcquire()).isNull();
        TestCheckout waiting = world.acquire(Duration.ofSeconds(5));
        world.release(inUse);
        world.settle();
        assertThat(waiting.isDone()).as("what came back is suspect as well").isFalse();
        assertThat(world.connector.validationsInFlight).isEqualTo(2);
        world.advanceMillis(10);
        assertThat(waiting.isServed()).isTrue();
        world.advanceMillis(100);
        assertThat(world.connector.validationsBegun).isEqualTo(6);
        assertThat(world.connector.validationsInFlightMost).isEqualTo(2);
        assertThat(world.counts().ready()).isEqualTo(5);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void afterARestartOfTheServerOnlyCheckoutsWereBroken() {
        World world = World.of(10).completesAtOnce().build().filled(10);
        List<Pooled<Wire>> held = world.take(3);
        world.advance(Duration.ofSeconds(1));
        world.connector.breakAll();
        // The first caller notices.
        world.discard(held.get(0), DiscardReason.BAD);
        world.suspectAll();
        for (int i = 0; i < 20; i++) {
            TestCheckout checkout = world.acquire(Duration.ofSeconds(5));
            world.advanceMillis(20);
            assertThat(checkout.pooled().connection().broken).isFalse();
            world.release(checkout.pooled());
        }
        world.discard(held.get(1), DiscardReason.BAD);
        world.release(held.get(2));
        world.advance(Duration.ofSeconds(3));
        for (Pooled<Wire> pooled : world.take(world.counts().ready())) {
            assertThat(pooled.connection().broken).isFalse();
        }
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void flushRetiresReadyConnectionsAtOnceAndCheckoutsOnReturn() {
        World world = World.of(5).build().filled(5);
        List<Pooled<Wire>> held = world.take(2);
        world.call(world.reservoir::flush);
        world.settle();
        assertThat(world.checker.discards).containsExactlyEntriesOf(java.util.Map.of(DiscardReason.EVICTED, 3));
        world.filled(3);
        held.forEach(world::release);
        world.filled(5);
        assertThat(world.checker.discards).containsExactlyEntriesOf(java.util.Map.of(DiscardReason.EVICTED, 5));
        assertThat(world.connector.arrived).isEqualTo(10);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void flushRefillsWhileCheckoutsAreStillOut() {
        World world = World.of(10).build().filled(10);
        world.take(10);
        world.call(world.reservoir::flush);
        world.advance(Duration.ofSeconds(1));
        // All ten will retire; one successor has room beside them.
        assertThat(world.counts()).extracting(i -> i.ready(), i -> i.inUse()).containsExactly(1, 10);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void evictingWhatIsGoneChangesNothing() {
        World world = World.of(2).build().filled(2);
        Pooled<Wire> pooled = world.take();
        world.discard(pooled, DiscardReason.BAD);
        world.filled(2);
        world.call(() -> world.reservoir.evict(pooled));
        world.settle();
        assertThat(world.counts().ready()).isEqualTo(2);
        world.closeAndCheck(Duration.ZERO);
    }
}
