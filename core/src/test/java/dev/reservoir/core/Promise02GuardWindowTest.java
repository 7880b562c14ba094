package dev.reservoir.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.kit.Checkout;
import dev.reservoir.core.kit.Wire;
import dev.reservoir.core.kit.World;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Promise 2: nothing is lent inside its guard window, and a stale connection never hides one that is ready. */
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
    void aConnectionIsLentUntilItsGuardWindowBeginsAndNotAfter() {
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
        Checkout waiting = world.acquire(Duration.ofMinutes(1));
        world.clock.jump(Duration.ofSeconds(9).toNanos());
        world.release(pooled);
        world.advance(SECOND);
        assertThat(waiting.pooled()).isNotSameAs(pooled);
        assertThat(pooled.connection().closedFor).isEqualTo(DiscardReason.INSUFFICIENT_REMAINING_LIFETIME);
        world.closeAndCheck(Duration.ZERO);
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
    void aLoanPastItsAgeIsToldFromOneThatIsOnlyGuarded() {
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
            assertThat(pooled.lendUntilNanos())
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
