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

/** Temporary connections beyond the maximum: bounded, handed out once, closed on release. */
class OverflowTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private static World.Builder overflowing(int maxOpen, int overflowMax) {
        return World.of(maxOpen)
                .completesAtOnce()
                .settings(s -> s.exhaustion(Exhaustion.OVERFLOW).overflowMax(overflowMax));
    }

    private static List<TestCheckout> acquire(World world, int count) {
        List<TestCheckout> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(world.acquire(LONG));
        }
        return all;
    }

    @Test
    void aCheckoutBeyondTheMaximumGetsATemporaryConnection() {
        World world = overflowing(2, 5).build().filled(2);
        world.take(2);
        TestCheckout checkout = world.acquire(LONG);
        world.advanceMillis(10);
        assertThat(checkout.pooled().isOverflow()).isTrue();
        assertThat(world.connector.opensBegun).as("one waiter, one connect").isEqualTo(3);
        assertThat(world.stats()).extracting(Stats::inUse, Stats::overflow).containsExactly(2, 1);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void itIsClosedWhenItComesBack() {
        World world = overflowing(1, 5).build().filled(1);
        world.take();
        TestCheckout checkout = world.acquire(LONG);
        world.advanceMillis(10);
        world.release(checkout.pooled());
        world.settle();
        assertThat(checkout.pooled().connection().closedFor).isEqualTo(DiscardReason.OVERFLOW);
        assertThat(world.counts().overflow()).isZero();
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void thereAreNeverMoreThanTheBound() {
        World world = overflowing(2, 3).build().filled(2);
        List<Pooled<Wire>> held = world.take(2);
        List<TestCheckout> waiting = acquire(world, 8);
        world.advanceMillis(50);
        assertThat(waiting.stream().filter(TestCheckout::isServed)).hasSize(3);
        assertThat(world.connector.opensBegun).isEqualTo(5);
        held.forEach(world::release);
        world.settle();
        assertThat(waiting.stream().filter(TestCheckout::isServed)).hasSize(5);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void anErrorNamesTheBoundThatIsInForce() {
        Settings.Builder settings = Settings.builder()
                .validationInterval(Duration.ZERO)
                .exhaustion(Exhaustion.OVERFLOW)
                .overflowMax(2);
        World world = World.of(1).completesAtOnce().settings(settings).build().filled(1);
        world.take();
        world.reservoir.setSettings(settings.overflowMax(1).build());
        List<TestCheckout> waiting = acquire(world, 3);
        world.advanceMillis(LONG.toMillis());
        assertThat(waiting.get(2).refusal()).hasMessageContaining("maxOpen (1) and overflowMax (1)");
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void theNextWaiterGetsATemporaryConnectionOfItsOwn() {
        World world = overflowing(1, 1).build().filled(1);
        world.take();
        List<TestCheckout> waiting = acquire(world, 3);
        for (TestCheckout checkout : waiting) {
            world.advanceMillis(20);
            assertThat(checkout.pooled().isOverflow()).isTrue();
            world.release(checkout.pooled());
        }
        world.advanceMillis(20);
        assertThat(waiting.stream().map(c -> c.pooled().connection().number)).doesNotHaveDuplicates();
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void oneThatComesWhenNobodyWaitsAnyMoreIsClosedAtOnce() {
        World world = overflowing(1, 5)
                .script(w -> w.connector.opening = n -> Fate.succeed(n == 1 ? 1_000_000L : 50_000_000L))
                .build()
                .filled(1);
        Pooled<Wire> pooled = world.take();
        TestCheckout checkout = world.acquire(LONG);
        world.advanceMillis(10);
        world.release(pooled);
        world.settle();
        assertThat(checkout.pooled()).isSameAs(pooled);
        world.advanceMillis(60);
        assertThat(world.checker.discards).containsEntry(DiscardReason.OVERFLOW, 1);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void oneThatComesWhenThereIsRoomAgainStays() {
        World world = overflowing(2, 5)
                .script(w -> w.connector.opening = n -> Fate.succeed(n <= 2 ? 1_000_000L : 50_000_000L))
                .build()
                .filled(2);
        List<Pooled<Wire>> held = world.take(2);
        TestCheckout checkout = world.acquire(LONG);
        world.advanceMillis(10);
        assertThat(world.counts().openingOverflow()).isEqualTo(1);
        world.call(world.reservoir::pause);
        world.discard(held.get(0), DiscardReason.BAD);
        world.advanceMillis(60);
        world.call(world.reservoir::resume);
        world.settle();
        assertThat(checkout.pooled().isOverflow()).isFalse();
        assertThat(world.counts()).extracting(i -> i.size(), i -> i.overflow()).containsExactly(2, 0);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void evictAndFlushLeaveTemporaryConnectionsToTheirReturn() {
        World world = overflowing(1, 2).build().filled(1);
        Pooled<Wire> regular = world.take();
        TestCheckout checkout = world.acquire(LONG);
        world.advanceMillis(10);
        world.call(() -> world.reservoir.evict(checkout.pooled()));
        world.call(world.reservoir::flush);
        world.settle();
        assertThat(checkout.pooled().connection().closedFor).isNull();
        world.release(checkout.pooled());
        world.release(regular);
        world.settle();
        assertThat(checkout.pooled().connection().closedFor).isEqualTo(DiscardReason.OVERFLOW);
        assertThat(regular.connection().closedFor).isEqualTo(DiscardReason.EVICTED);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void temporaryConnectionsNeedPermitsAndLeasesToo() {
        World world = overflowing(2, 5).leases(3).rate(100, 10).build().filled(2);
        world.take(2);
        List<TestCheckout> waiting = acquire(world, 3);
        world.advance(Duration.ofSeconds(2));
        assertThat(waiting.stream().filter(TestCheckout::isServed)).hasSize(1);
        assertThat(world.leases.out).hasSize(3);
        world.closeAndCheck(Duration.ZERO);
    }
}
