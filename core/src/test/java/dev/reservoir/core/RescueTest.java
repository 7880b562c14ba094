package dev.reservoir.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.kit.Fate;
import dev.reservoir.core.kit.TestCheckout;
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
        TestCheckout oldest = world.acquire(MINUTE);
        TestCheckout next = world.acquire(MINUTE);
        world.advance(Duration.ofMillis(1_999));
        assertThat(world.connector.opensBegun).isEqualTo(10);
        world.advance(Duration.ofMillis(11));
        assertThat(oldest.isServed()).as("at 2.01 s").isTrue();
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
        List<TestCheckout> waiting =
                List.of(world.acquire(MINUTE), world.acquire(MINUTE), world.acquire(MINUTE), world.acquire(MINUTE));
        world.advance(Duration.ofMillis(2_100));
        assertThat(world.connector.askedAfter).hasSize(1);
        assertThat(world.connector.askedAfter.get(0)).hasSize(10);
        assertThat(world.checker.discards).containsEntry(DiscardReason.UNRESPONSIVE, 6);
        assertThat(waiting).as("within 2.1 s").allMatch(TestCheckout::isServed);
        // Their callers notice, and give them back.
        held.subList(0, 3).forEach(pooled -> world.discard(pooled, DiscardReason.BAD));
        held.subList(3, 10).forEach(world::release);
        waiting.forEach(checkout -> world.release(checkout.pooled()));
        world.filled(10);
        assertThat(world.connector.open).noneMatch(wire -> wire.broken);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void ifReadyOnesAreFoundDeadThoseInUseAreAskedAfterThoughNobodyWaits() {
        World world = World.of(10)
                .completesAtOnce()
                .settings(s -> s.validationInterval(Duration.ofSeconds(1)))
                .build()
                .filled(10);
        List<Pooled<Wire>> held = world.take(4);
        world.advance(Duration.ofSeconds(1));
        world.connector.breakAll();
        world.connector.validating = wire -> wire.broken ? Fate.hang() : Fate.succeed(1_000_000L);
        world.advance(Duration.ofSeconds(5));
        assertThat(world.connector.askedAfter).isNotEmpty();
        assertThat(world.checker.discards).as("within 5 s").containsEntry(DiscardReason.UNRESPONSIVE, 4);
        held.forEach(pooled -> world.discard(pooled, DiscardReason.BAD));
        world.filled(10);
        int asked = world.connector.askedAfter.size();
        Pooled<Wire> longUse = world.take();
        world.advance(Duration.ofMinutes(2));
        assertThat(world.connector.askedAfter.size() - asked)
                .as("it comes to an end")
                .isLessThanOrEqualTo(5);
        world.release(longUse);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void theAnswerToAQuestionValidatesTheConnectionThatAsked() {
        World world = World.of(4)
                .completesAtOnce()
                .settings(s -> s.validationInterval(Duration.ofSeconds(1)))
                .build()
                .filled(4);
        Pooled<Wire> longUse = world.take();
        world.advance(Duration.ofSeconds(2));
        Wire dead = world.connector.open.stream()
                .filter(wire -> wire != longUse.connection())
                .findFirst()
                .orElseThrow();
        dead.broken = true;
        // There is a sign of trouble at the moment of the question. Its answer is the only proof since.
        world.connector.beforeAsking = world::suspectAll;
        world.connector.validating = wire -> world.connector.askedAfter.isEmpty() ? Fate.succeed(0) : Fate.hang();
        world.advanceUntil("asked", MINUTE, () -> !world.connector.askedAfter.isEmpty());
        world.advance(Duration.ofMillis(100));
        assertThat(world.counts().ready()).isEqualTo(1);
        world.release(world.take());
        world.release(longUse);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void longStatementsAndLockWaitsSurvive() {
        World world = World.of(4).completesAtOnce().build().filled(4);
        List<Pooled<Wire>> held = world.take(4);
        TestCheckout waiting = world.acquire(MINUTE);
        world.advance(Duration.ofSeconds(30));
        assertThat(waiting.isServed()).isTrue();
        assertThat(world.checker.discards).doesNotContainKey(DiscardReason.UNRESPONSIVE);
        held.forEach(world::release);
        world.release(waiting.pooled());
        world.settle();
        assertThat(world.counts().inUse()).isZero();
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void aConnectionThatCameBackMeanwhileIsNotClosed() {
        World world = World.of(2).completesAtOnce().build().filled(2);
        List<Pooled<Wire>> held = world.take(2);
        world.connector.unresponsive = wire -> true;
        world.connector.findingUnresponsive = Fate.succeed(500_000_000L);
        TestCheckout first = world.acquire(MINUTE);
        TestCheckout second = world.acquire(MINUTE);
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
            TestCheckout waiting = world.acquire(MINUTE);
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
        TestCheckout waiting = world.acquire(MINUTE);
        world.advanceUntil("asked", MINUTE, () -> world.connector.askedAfter.size() == 1);
        world.connector.findingUnresponsive = Fate.succeed(0);
        world.advance(Duration.ofSeconds(6));
        assertThat(world.checker.discards).containsEntry(DiscardReason.VALIDATION_FAILED, 1);
        world.advance(Duration.ofSeconds(6));
        assertThat(waiting.isServed()).isTrue();
        assertThat(world.connector.askedAfter)
                .as("the same callers wait: it is not asked again")
                .hasSize(1);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void aConnectorThatAnswersWithNothingEndsNoUseAndTheWaiterIsServed() {
        World world = busy(3);
        world.connector.findingUnresponsive = Fate.of(Fate.Kind.NOTHING);
        TestCheckout waiting = world.acquire(MINUTE);
        world.advance(Duration.ofSeconds(6));
        assertThat(world.connector.askedAfter).isNotEmpty();
        assertThat(waiting.isServed()).isTrue();
        assertThat(world.checker.discards).doesNotContainKey(DiscardReason.UNRESPONSIVE);
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
}
