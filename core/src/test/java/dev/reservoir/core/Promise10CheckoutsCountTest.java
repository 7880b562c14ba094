package dev.reservoir.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.kit.TestCheckout;
import dev.reservoir.core.kit.Wire;
import dev.reservoir.core.kit.World;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Promise 10: connections in use count; they are not replaced, and come back. */
class Promise10CheckoutsCountTest {

    @Test
    void aCheckoutIsNotReplaced() {
        World world = World.of(10).build().filled(10);
        List<Pooled<Wire>> held = world.take(10);
        world.advance(Duration.ofMinutes(5));
        assertThat(world.connector.opensBegun).isEqualTo(10);
        held.forEach(world::release);
        world.settle();
        assertThat(world.counts().ready()).isEqualTo(10);
        assertThat(world.connector.closesBegun).isZero();
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void fiveMinutesOfWorkForTenConnectionsOpenTen() {
        World world = World.of(10).completesAtOnce().build().filled(10);
        SplittableRandom random = new SplittableRandom(11);
        List<TestCheckout> running = new ArrayList<>();
        long end = world.clock.nanos() + Duration.ofMinutes(5).toNanos();
        while (world.clock.nanos() < end) {
            running.add(world.acquire(Duration.ofSeconds(5)));
            world.advanceMillis(1 + random.nextInt(40));
            running.removeIf(checkout -> {
                boolean over = checkout.isServed() && random.nextInt(8) == 0;
                if (over) {
                    world.release(checkout.pooled());
                }
                return over || checkout.refusal() != null;
            });
        }
        assertThat(running.size()).isLessThan(100);
        assertThat(world.stats().checkouts()).isGreaterThan(10_000);
        assertThat(world.checker.waitsBegun).isGreaterThan(100);
        assertThat(world.connector.opensBegun).isEqualTo(10);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void aSpareIsKeptBesideWhatIsInUseAsFarAsTheMaximumGoes() {
        World world = World.of(new Targets(10, 3, 1, 0)).build().filled(3);
        world.advance(Duration.ofSeconds(1));
        assertThat(world.connector.arrived).isEqualTo(3);
        List<Pooled<Wire>> held = new ArrayList<>(world.take(2));
        world.advance(Duration.ofSeconds(1));
        assertThat(world.counts().ready()).isEqualTo(3);
        held.addAll(world.take(3));
        world.advance(Duration.ofSeconds(1));
        assertThat(world.counts().ready()).isEqualTo(3);
        held.addAll(world.take(3));
        world.advance(Duration.ofSeconds(1));
        assertThat(world.counts()).extracting(i -> i.ready(), i -> i.inUse()).containsExactly(2, 8);
        held.forEach(world::release);
        world.advance(Duration.ofMinutes(1));
        assertThat(world.connector.arrived).as("what came back is kept").isEqualTo(10);
        assertThat(world.connector.closesBegun).isZero();
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void oneWaiterBringsOneConnection() {
        World world = World.of(new Targets(10, 0, 0, 0)).build();
        for (int i = 1; i <= 5; i++) {
            TestCheckout checkout = world.acquire(Duration.ofSeconds(5));
            world.advance(Duration.ofSeconds(1));
            assertThat(checkout.isServed()).isTrue();
            assertThat(world.connector.opensBegun).isEqualTo(i);
        }
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void aCheckoutPastItsAgeRetiresOnItsReturn() {
        World world = World.of(2)
                .settings(s -> s.baseLifetime(Duration.ofSeconds(20))
                        .lifetimeJitter(Duration.ZERO)
                        .guardWindow(Duration.ofSeconds(5)))
                .build()
                .filled(2);
        Pooled<Wire> pooled = world.take();
        world.advance(Duration.ofMinutes(1));
        assertThat(pooled.connection().closedFor).isNull();
        world.release(pooled);
        world.settle();
        assertThat(pooled.connection().closedFor).isIn(DiscardReason.EXPIRED_ON_RETURN, DiscardReason.SUPERSEDED);
        world.filled(2);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void givingBackWhatIsNotInUseIsRefused() {
        World world = World.of(1).build().filled(1);
        Pooled<Wire> pooled = world.take();
        world.release(pooled);
        assertThat(org.assertj.core.api.Assertions.catchThrowable(() -> world.release(pooled)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("not in use");
        assertThat(world.take()).isSameAs(pooled);
        world.closeAndCheck(Duration.ZERO);
    }
}
