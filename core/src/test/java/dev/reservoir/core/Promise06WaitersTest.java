package dev.reservoir.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.NoConnectionException.Why;
import dev.reservoir.core.kit.TestCheckout;
import dev.reservoir.core.kit.Wire;
import dev.reservoir.core.kit.World;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** Promise 6: a checkout ends by its own deadline, waiters are served in order, and their queue is bounded. */
class Promise06WaitersTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    /** A reservoir whose only connection is in use. */
    private static World oneHandedOut(List<Pooled<Wire>> held) {
        // Without an allowance, so that no other is opened because this one does not come back.
        World world = World.of(1)
                .completesAtOnce()
                .settings(s -> s.successorAllowance(0))
                .build()
                .filled(1);
        held.add(world.take());
        return world;
    }

    @Test
    void aCheckoutEndsAtItsDeadlineAndNotBefore() {
        World world = oneHandedOut(new ArrayList<>());
        TestCheckout checkout = world.acquire(Duration.ofMillis(250));
        world.advance(Duration.ofMillis(250).minusNanos(1));
        assertThat(checkout.isDone()).isFalse();
        world.advance(Duration.ofNanos(1));
        assertThat(checkout.refusal().why()).isEqualTo(Why.TIMEOUT);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void aCheckoutForEverDoesNotEndAtOnce() {
        List<Pooled<Wire>> held = new ArrayList<>();
        World world = oneHandedOut(held);
        TestCheckout checkout = world.acquire(Long.MAX_VALUE);
        world.advance(Duration.ofMinutes(5));
        assertThat(checkout.isDone()).isFalse();
        world.release(held.get(0));
        world.settle();
        assertThat(checkout.isServed()).isTrue();
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void withNoTimeACheckoutFailsAtOnce() {
        World world = oneHandedOut(new ArrayList<>());
        assertThat(world.acquire(0).refusal().why()).isEqualTo(Why.EMPTY);
        assertThat(world.acquire(-5).refusal().why()).isEqualTo(Why.EMPTY);
        assertThat(world.checker.waitsBegun).isZero();
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void waitersAreServedInTheOrderInWhichTheyCame() {
        List<Pooled<Wire>> held = new ArrayList<>();
        World world = oneHandedOut(held);
        List<TestCheckout> waiting = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            waiting.add(world.acquire(LONG));
            world.advanceMillis(1);
        }
        Pooled<Wire> pooled = held.get(0);
        for (TestCheckout checkout : waiting) {
            assertThat(checkout.isDone()).isFalse();
            world.release(pooled);
            world.settle();
            assertThat(checkout.pooled()).isSameAs(pooled);
        }
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void thoseWhoGaveUpAreSteppedOver() {
        List<Pooled<Wire>> held = new ArrayList<>();
        World world = oneHandedOut(held);
        TestCheckout timedOut = world.acquire(Duration.ofMillis(5));
        TestCheckout cancelled = world.acquire(LONG);
        TestCheckout third = world.acquire(LONG);
        world.call(() -> cancelled.future.cancel(true));
        world.advanceMillis(10);
        world.release(held.get(0));
        world.settle();
        assertThat(timedOut.isServed()).isFalse();
        assertThat(cancelled.future).isCancelled();
        assertThat(third.isServed()).isTrue();
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void thousandsWhoGaveUpLeaveNothingBehind() {
        List<Pooled<Wire>> held = new ArrayList<>();
        World world = oneHandedOut(held);
        TestCheckout patient = world.acquire(LONG);
        int timers = world.time.timers;
        for (int i = 0; i < 3_000; i++) {
            TestCheckout checkout = world.acquire(LONG);
            world.call(() -> checkout.future.cancel(false));
        }
        assertThat(world.stats().waiting()).isEqualTo(1);
        assertThat(world.time.timers).isLessThanOrEqualTo(timers + 1);
        world.release(held.get(0));
        world.settle();
        assertThat(patient.isServed()).isTrue();
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void aConnectionHandedToOneWhoCancelsAtThatMomentIsNotLost() {
        World world = World.of(1).build().filled(1);
        Pooled<Wire> pooled = world.take();
        TestCheckout checkout = world.acquire(LONG);
        world.release(pooled);
        // Handed over already; its future completes with the next task.
        world.call(() -> checkout.future.cancel(false));
        world.settle();
        assertThat(world.counts().ready()).isEqualTo(1);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void anExecutorThatRefusesCostsNoConnectionAndNoEnd() {
        World world = World.of(1)
                .callbacks(task -> {
                    throw new RejectedExecutionException("shut down");
                })
                .build()
                .filled(1);
        Pooled<Wire> pooled = world.take();
        TestCheckout served = world.acquire(LONG);
        TestCheckout refused = world.acquire(Duration.ofMillis(5));
        // Without the checks of every step: the ends of both waits are known, and not told yet.
        world.clock.advance(Duration.ofSeconds(1).toNanos());
        world.call(() -> world.reservoir.release(pooled));
        world.clock.advance(Duration.ofSeconds(1).toNanos());
        assertThat(served.pooled()).isSameAs(pooled);
        assertThat(refused.refusal().why()).isEqualTo(Why.TIMEOUT);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void aNewcomerMayOvertakeOnlyWithinTheWindow() {
        List<Pooled<Wire>> held = new ArrayList<>();
        World world = World.of(1)
                .completesAtOnce()
                .settings(s -> s.overtakingWindow(Duration.ofMillis(1)))
                .build()
                .filled(1);
        held.add(world.take());
        world.call(world.reservoir::pause);
        world.settle();
        TestCheckout waiting = world.acquire(LONG);
        world.release(held.get(0));
        world.advanceMillis(2);
        world.call(world.reservoir::resume);
        assertThat(world.tryAcquire())
                .as("the oldest has waited longer than the window")
                .isNull();
        world.settle();
        assertThat(waiting.isServed()).isTrue();
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void theQueueIsBounded() {
        World world = World.of(1)
                .completesAtOnce()
                .settings(s -> s.waitersMax(3))
                .build()
                .filled(1);
        Pooled<Wire> pooled = world.take();
        List<TestCheckout> waiting = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            waiting.add(world.acquire(LONG));
        }
        TestCheckout tooMany = world.acquire(LONG);
        assertThat(tooMany.refusal().why()).isEqualTo(Why.QUEUE_FULL);
        assertThat(tooMany.refusal()).hasMessageContaining("waitersMax (3)");
        world.release(pooled);
        world.settle();
        assertThat(waiting.get(0).isServed()).isTrue();
        assertThat(world.acquire(LONG).isDone()).isFalse();
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void withThePolicyToFailNobodyWaits() {
        World world =
                World.of(1).settings(s -> s.exhaustion(Exhaustion.FAIL)).build().filled(1);
        world.take();
        TestCheckout checkout = world.acquire(LONG);
        assertThat(checkout.refusal().why()).isEqualTo(Why.EMPTY);
        assertThat(world.stats().timeouts()).isEqualTo(1);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void whileItIsPausedCheckoutsWaitAndAreServedInOrderAfterwards() {
        World world = World.of(2).completesAtOnce().build().filled(2);
        Pooled<Wire> inUse = world.take();
        world.call(world.reservoir::pause);
        world.settle();
        TestCheckout first = world.acquire(LONG);
        TestCheckout second = world.acquire(LONG);
        TestCheckout impatient = world.acquire(Duration.ofMillis(3));
        world.release(inUse);
        world.advanceMillis(100);
        assertThat(first.isDone()).isFalse();
        assertThat(world.tryAcquire()).isNull();
        assertThat(impatient.refusal()).hasMessageContaining("the reservoir is paused");
        assertThat(world.stats().paused()).isTrue();
        world.call(world.reservoir::resume);
        world.settle();
        assertThat(first.isServed() && second.isServed()).isTrue();
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void waitersHelpTheReservoirToGrow() {
        World world = World.of(new Targets(10, 0, 0, 0)).completesAtOnce().build();
        world.advance(Duration.ofSeconds(3));
        assertThat(world.connector.arrived).isZero();
        List<TestCheckout> waiting = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            waiting.add(world.acquire(LONG));
        }
        world.advanceMillis(20);
        assertThat(waiting).allMatch(TestCheckout::isServed);
        assertThat(world.connector.arrived).isEqualTo(4);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void waitsAreCountedAndTimed() {
        List<Pooled<Wire>> held = new ArrayList<>();
        World world = oneHandedOut(held);
        world.acquire(LONG);
        world.acquire(Duration.ofMillis(10));
        world.advanceMillis(40);
        world.release(held.get(0));
        world.settle();
        Stats stats = world.stats();
        assertThat(stats.waitTime().count()).isEqualTo(2);
        assertThat(stats.waitTime().maxNanos()).isEqualTo(40_000_000L);
        assertThat(stats.empties()).isEqualTo(2);
        assertThat(stats.timeouts()).isEqualTo(1);
        assertThat(stats.checkouts()).isEqualTo(2);
        world.closeAndCheck(Duration.ZERO);
    }
}
