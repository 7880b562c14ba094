package dev.reservoir.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.kit.InstantConnector;
import dev.reservoir.core.kit.TestCheckout;
import dev.reservoir.core.kit.Wire;
import dev.reservoir.core.kit.World;
import dev.reservoir.core.spi.Time;
import dev.reservoir.core.time.SystemTime;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Promise 2: nothing is handed out inside its guard window, and a stale connection never hides one that is ready. */
class Promise02GuardWindowTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    /** Connections live 10 s, the last 2 of them guarded. The scan is as late as it may be. */
    private static World.Builder lateScan(int maxOpen) {
        return World.of(maxOpen)
                .settings(s -> s.baseLifetime(Duration.ofSeconds(10))
                        .lifetimeJitter(Duration.ZERO)
                        .guardWindow(Duration.ofSeconds(2))
                        .scanInterval(Duration.ofMinutes(1)));
    }

    private static void atAge(World world, Pooled<Wire> pooled, Duration age) {
        world.advanceTo(pooled.bornNanos() + age.toNanos());
    }

    @Test
    void aConnectionIsHandedOutUntilItsGuardWindowBeginsAndNotAfter() {
        World world = lateScan(1).build().filled(1);
        Pooled<Wire> pooled = world.take();
        world.release(pooled);
        atAge(world, pooled, Duration.ofSeconds(8).minusNanos(1));
        assertThat(world.take()).isSameAs(pooled);
        world.release(pooled);
        atAge(world, pooled, Duration.ofSeconds(8));
        assertThat(world.tryAcquire()).isNull();
        world.settle();
        assertThat(world.checker.discards).containsOnlyKeys(DiscardReason.INSUFFICIENT_REMAINING_LIFETIME);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void aConnectionThatExpiredUnseenIsFoundAtCheckout() {
        World world = lateScan(1).build().filled(1);
        world.clock.jump(Duration.ofSeconds(11).toNanos());
        assertThat(world.tryAcquire()).isNull();
        world.settle();
        assertThat(world.checker.discards).containsOnlyKeys(DiscardReason.EXPIRED_ON_CHECKOUT);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void staleConnectionsNeverMakeACheckoutFailWhileAnotherIsReady() {
        World world = lateScan(50).build();
        world.setTargets(Targets.of(49));
        world.filled(49);
        world.advance(Duration.ofSeconds(5));
        world.setTargets(Targets.of(50));
        world.filled(50);
        world.clock.jump(Duration.ofSeconds(4).toNanos());
        Pooled<Wire> pooled = world.take();
        assertThat(pooled.connection().number).isEqualTo(50);
        world.settle();
        assertThat(world.checker.discards.get(DiscardReason.INSUFFICIENT_REMAINING_LIFETIME))
                .isEqualTo(49);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void aConnectionThatCameBackStaleIsNotHandedToAWaiter() {
        World world = lateScan(1).build().filled(1);
        Pooled<Wire> pooled = world.take();
        TestCheckout waiting = world.acquire(Duration.ofMinutes(1));
        world.clock.jump(Duration.ofSeconds(9).toNanos());
        world.release(pooled);
        world.advance(SECOND);
        assertThat(waiting.pooled()).isNotSameAs(pooled);
        assertThat(pooled.connection().closedFor).isEqualTo(DiscardReason.INSUFFICIENT_REMAINING_LIFETIME);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void whatAgesBetweenHandOverAndUseIsNotHandedOutAndTheWaiterKeepsItsTurn() {
        World world = lateScan(2).build().filled(2);
        Pooled<Wire> one = world.take();
        Pooled<Wire> other = world.take();
        TestCheckout first = world.acquire(Duration.ofMinutes(1));
        TestCheckout second = world.acquire(Duration.ofMinutes(1));
        TestCheckout third = world.acquire(Duration.ofMinutes(1));
        world.release(one);
        world.release(other);
        // Both are handed over by now; those who wait have not come to take them.
        world.clock.jump(Duration.ofSeconds(9).toNanos());
        world.advance(SECOND);
        assertThat(first.pooled()).isNotSameAs(one).isNotSameAs(other);
        assertThat(second.pooled()).isNotSameAs(one).isNotSameAs(other);
        assertThat(third.isDone()).isFalse();
        assertThat(world.checker.discards).containsOnlyKeys(DiscardReason.INSUFFICIENT_REMAINING_LIFETIME);
        assertThat(world.checker.waitsBegun).isEqualTo(3);
        assertThat(world.checker.waitsEnded).isEqualTo(2);
        world.release(first.pooled());
        world.settle();
        assertThat(third.isServed()).isTrue();
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void aWaiterMayBeHandedAStaleConnectionMoreThanOnce() {
        World world = lateScan(1).build().filled(1);
        Pooled<Wire> pooled = world.take();
        TestCheckout waiting = world.acquire(Duration.ofMinutes(1));
        world.release(pooled);
        world.clock.jump(Duration.ofSeconds(9).toNanos());
        for (int i = 0; i < 3; i++) {
            // Up to the moment at which the next one is handed over, which is the moment at which it is opened.
            int opened = world.checker.openedHeard;
            world.advanceUntil("another", SECOND, () -> world.checker.openedHeard > opened);
            assertThat(waiting.isDone()).isFalse();
            world.clock.jump(Duration.ofSeconds(9).toNanos());
        }
        world.advance(SECOND);
        assertThat(waiting.isServed()).isTrue();
        assertThat(world.checker.discards.get(DiscardReason.INSUFFICIENT_REMAINING_LIFETIME))
                .isEqualTo(4);
        assertThat(world.checker.waitsBegun).isEqualTo(1);
        assertThat(world.checker.waitsEnded).isEqualTo(1);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void aWaiterWhoWasHandedAStaleConnectionStillEndsAtItsDeadline() {
        World world = lateScan(1).build().filled(1);
        Pooled<Wire> pooled = world.take();
        TestCheckout waiting = world.acquire(Duration.ofSeconds(5));
        TestCheckout cancelled = world.acquire(Duration.ofSeconds(20));
        world.permits.instead = java.util.concurrent.CompletableFuture::new;
        world.release(pooled);
        world.clock.jump(Duration.ofSeconds(9).toNanos());
        world.settle();
        assertThat(waiting.refusal().why()).isEqualTo(NoConnectionException.Why.TIMEOUT);
        cancelled.future.cancel(false);
        world.settle();
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void aThreadThatWakesTooLateForWhatItWasHandedWaitsForAnother() throws Exception {
        InstantConnector connector = new InstantConnector();
        try (SystemTime clock = new SystemTime("late-waker");
                Reservoir<Object> reservoir = Reservoir.builder(connector)
                        .targets(Targets.of(1))
                        .settings(Settings.builder()
                                .overtakingWindow(Duration.ZERO)
                                .build())
                        .time(new LateWaker(clock))
                        .build()) {
            Pooled<Object> stale = reservoir.acquire(Duration.ofMinutes(1));
            FutureTask<Pooled<Object>> late = new FutureTask<>(() -> reservoir.acquire(Duration.ofDays(1)));
            Thread thread = new Thread(late, LateWaker.NAME);
            thread.start();
            Awaitility.await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
            LateWaker.sleeps = true;
            reservoir.release(stale);

            Pooled<Object> inUse = late.get(1, TimeUnit.MINUTES);

            assertThat(inUse).isNotSameAs(stale);
            assertThat(connector.open).containsOnly(inUse.connection());
            reservoir.release(inUse);
            assertThat(reservoir.stats().discards()).containsOnlyKeys(DiscardReason.EXPIRED_ON_CHECKOUT);
        }
    }

    /** A clock that has moved on by two hours when one thread looks at it for the first time after it was set to. */
    private record LateWaker(Time clock) implements Time {
        static final String NAME = "wakes-late";
        static volatile boolean sleeps;

        @Override
        public long nanos() {
            long now = clock.nanos();
            if (sleeps && Thread.currentThread().getName().equals(NAME)) {
                sleeps = false;
                return now + Duration.ofHours(2).toNanos();
            }
            return now;
        }

        @Override
        public Timer schedule(long delayNanos, Runnable task) {
            return clock.schedule(delayNanos, task);
        }

        @Override
        public void execute(Runnable task) {
            clock.execute(task);
        }
    }

    @Test
    void theScanRetiresReadyConnectionsAsTheirGuardWindowBegins() {
        World world = World.of(1)
                .settings(s -> s.baseLifetime(Duration.ofSeconds(10))
                        .lifetimeJitter(Duration.ZERO)
                        .guardWindow(Duration.ofSeconds(2)))
                .build()
                .filled(1);
        // Without permits no successor can come, so that the predecessor stays as long as it may.
        world.permits.instead = java.util.concurrent.CompletableFuture::new;
        world.advance(Duration.ofSeconds(10));
        assertThat(world.checker.discards).containsOnlyKeys(DiscardReason.EXPIRING_SOON_ON_SCAN);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void theScanTellsWhatHasExpiredFromWhatIsAboutTo() {
        World world = lateScan(1).build().filled(1);
        world.permits.instead = java.util.concurrent.CompletableFuture::new;
        world.advance(Duration.ofMinutes(2));
        assertThat(world.checker.discards).containsOnlyKeys(DiscardReason.EXPIRED_ON_SCAN);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void aCheckoutPastItsAgeIsToldFromOneThatIsOnlyGuarded() {
        World world = World.of(2)
                .settings(s -> s.baseLifetime(Duration.ofSeconds(10))
                        .lifetimeJitter(Duration.ZERO)
                        .guardWindow(Duration.ofSeconds(2)))
                .build()
                .filled(2);
        world.permits.instead = java.util.concurrent.CompletableFuture::new;
        Pooled<Wire> guarded = world.take();
        Pooled<Wire> expired = world.take();
        atAge(world, guarded, Duration.ofMillis(9_500));
        world.release(guarded);
        atAge(world, expired, Duration.ofMillis(10_500));
        world.release(expired);
        world.settle();
        assertThat(guarded.connection().closedFor).isEqualTo(DiscardReason.INSUFFICIENT_REMAINING_LIFETIME);
        assertThat(expired.connection().closedFor).isEqualTo(DiscardReason.EXPIRED_ON_RETURN);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void lifetimesAreSpreadOverTheBasePlusOrMinusHalfTheJitter() {
        World world = World.of(400)
                .settings(s -> s.baseLifetime(Duration.ofMinutes(10)).lifetimeJitter(Duration.ofMinutes(2)))
                .build()
                .filled(400);
        long least = Long.MAX_VALUE;
        long most = 0;
        for (Pooled<Wire> pooled : world.take(400)) {
            long lifetime = pooled.expiresNanos() - pooled.bornNanos();
            least = Math.min(least, lifetime);
            most = Math.max(most, lifetime);
            assertThat(pooled.usableUntilNanos())
                    .isEqualTo(pooled.expiresNanos() - Duration.ofSeconds(45).toNanos());
        }
        assertThat(least)
                .isBetween(
                        Duration.ofMinutes(9).toNanos(), Duration.ofSeconds(552).toNanos());
        assertThat(most)
                .isBetween(
                        Duration.ofSeconds(648).toNanos(),
                        Duration.ofMinutes(11).toNanos());
        world.closeAndCheck(Duration.ZERO);
    }
}
