package dev.reservoir.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.kit.Checkout;
import dev.reservoir.core.kit.Fate;
import dev.reservoir.core.kit.Wire;
import dev.reservoir.core.kit.World;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Callers wait and no connection comes back: the server is asked which of those in use it still serves. */
class RescueTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private static World busy(int maxOpen) {
        World world = World.of(maxOpen).completesAtOnce().build().filled(maxOpen);
        world.take(maxOpen);
        return world;
    }

    @Test
    void afterTwoSecondsOneMoreConnectionServesTheOldestWaiter() {
        World world = busy(10);
        Checkout oldest = world.acquire(MINUTE);
        Checkout next = world.acquire(MINUTE);
        world.advance(Duration.ofMillis(1_900));
        assertThat(world.counts().size()).isEqualTo(10);
        world.advance(Duration.ofMillis(1_600));
        assertThat(oldest.isServed()).isTrue();
        assertThat(next.isDone()).isFalse();
        assertThat(world.counts().size()).as("within the successors' allowance").isEqualTo(11);
        world.advance(Duration.ofSeconds(20));
        assertThat(world.counts().size()).isEqualTo(11);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void theServerIsAskedAfterThoseInUseAndWhatItDoesNotServeIsClosedUnderItsCaller() {
        World world = World.of(10).completesAtOnce().build().filled(10);
        List<Pooled<Wire>> held = world.take(10);
        world.advance(Duration.ofSeconds(1));
        held.subList(0, 6).forEach(pooled -> pooled.connection().broken = true);
        List<Checkout> waiting =
                List.of(world.acquire(MINUTE), world.acquire(MINUTE), world.acquire(MINUTE), world.acquire(MINUTE));
        world.advance(Duration.ofSeconds(4));
        assertThat(world.connector.askedAfter).hasSize(1);
        assertThat(world.connector.askedAfter.get(0)).hasSize(10);
        assertThat(world.checker.discards).containsEntry(DiscardReason.UNRESPONSIVE, 6);
        assertThat(waiting).allMatch(Checkout::isServed);
        // Their callers notice, and give them back.
        held.subList(0, 3).forEach(pooled -> world.discard(pooled, DiscardReason.BAD));
        held.subList(3, 10).forEach(world::release);
        waiting.forEach(checkout -> world.release(checkout.pooled()));
        world.filled(10);
        assertThat(world.connector.open).noneMatch(wire -> wire.broken);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void longStatementsAndLockWaitsSurvive() {
        World world = World.of(4).completesAtOnce().build().filled(4);
        List<Pooled<Wire>> held = world.take(4);
        Checkout waiting = world.acquire(MINUTE);
        world.advance(Duration.ofSeconds(30));
        assertThat(waiting.isServed()).isTrue();
        assertThat(world.checker.discards).doesNotContainKey(DiscardReason.UNRESPONSIVE);
        held.forEach(world::release);
        world.release(waiting.pooled());
        world.settle();
        assertThat(world.counts().lent()).isZero();
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void aConnectionThatCameBackMeanwhileIsNotClosed() {
        World world = World.of(2).completesAtOnce().build().filled(2);
        List<Pooled<Wire>> held = world.take(2);
        world.connector.unresponsive = wire -> true;
        world.connector.findingUnresponsive = Fate.succeed(500_000_000L);
        Checkout first = world.acquire(MINUTE);
        Checkout second = world.acquire(MINUTE);
        world.advanceUntil("asked", MINUTE, () -> world.connector.askedAfter.size() == 1);
        world.release(held.get(0));
        world.settle();
        assertThat(first.isServed()).isTrue();
        world.advance(Duration.ofSeconds(1));
        assertThat(world.checker.discards).containsEntry(DiscardReason.UNRESPONSIVE, 1);
        assertThat(second.isServed()).isTrue();
        assertThat(first.pooled().connection().closedFor).isNull();
        world.release(first.pooled());
        world.release(second.pooled());
        world.release(held.get(1));
        world.filled(2);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void asLongAsConnectionsComeBackNobodyIsAsked() {
        World world = World.of(3).completesAtOnce().build().filled(3);
        List<Pooled<Wire>> held = new java.util.ArrayList<>(world.take(3));
        for (int i = 0; i < 20; i++) {
            Checkout waiting = world.acquire(MINUTE);
            world.advance(Duration.ofSeconds(1));
            world.release(held.remove(0));
            world.settle();
            held.add(waiting.pooled());
        }
        assertThat(world.connector.askedAfter).isEmpty();
        assertThat(world.connector.arrived).isEqualTo(3);
        held.forEach(world::release);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void aQuestionWithoutAnAnswerCostsOnlyTheConnectionThatAsked() {
        World world = busy(5);
        world.connector.findingUnresponsive = Fate.hang();
        Checkout waiting = world.acquire(MINUTE);
        world.advanceUntil("asked", MINUTE, () -> world.connector.askedAfter.size() == 1);
        world.connector.findingUnresponsive = Fate.succeed(0);
        world.advance(Duration.ofSeconds(6));
        assertThat(world.checker.discards).containsEntry(DiscardReason.VALIDATION_FAILED, 1);
        world.advance(Duration.ofSeconds(6));
        assertThat(waiting.isServed()).isTrue();
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void withoutAnAllowanceNothingIsOpened() {
        World world = World.of(3)
                .completesAtOnce()
                .settings(s -> s.successorAllowance(0))
                .build()
                .filled(3);
        world.take(3);
        world.acquire(MINUTE);
        world.advance(Duration.ofSeconds(20));
        assertThat(world.connector.arrived).isEqualTo(3);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void connectionsThatAreHeldForTooLongCanBeTakenBack() {
        World world = World.of(3).completesAtOnce().build().filled(3);
        Pooled<Wire> early = world.take();
        world.advance(Duration.ofSeconds(10));
        Pooled<Wire> late = world.take();
        world.call(
                () -> assertThat(world.reservoir.reclaim(Duration.ofSeconds(5))).hasSize(1));
        world.advance(Duration.ofSeconds(1));
        assertThat(world.checker.discards).containsEntry(DiscardReason.ABANDONED, 1);
        assertThat(early.connection().closedFor).isEqualTo(DiscardReason.ABANDONED);
        assertThat(world.counts().size()).as("its place is free").isEqualTo(3);
        world.release(early);
        world.release(late);
        world.settle();
        assertThat(world.counts()).extracting(Counts::ready, Counts::lent).containsExactly(3, 0);
        world.closeAndCheck(Duration.ZERO);
    }
}
