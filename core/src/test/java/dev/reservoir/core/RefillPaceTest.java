package dev.reservoir.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.kit.Fate;
import dev.reservoir.core.kit.Wire;
import dev.reservoir.core.kit.World;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What nobody waits for is opened at the rate, not in a burst; what somebody needs is opened as fast as can be. */
class RefillPaceTest {
    private static final int SIZE = 60;
    private static final int RATE = 20;

    private static World filled(Targets targets) {
        return filled(targets, RefillPacing.SMOOTH);
    }

    private static World filled(Targets targets, RefillPacing pacing) {
        World world = World.of(targets)
                .rate(RATE, 40)
                .settings(s -> s.keepalive(Duration.ZERO).refillPacing(pacing))
                .script(w -> w.connector.opening = n -> Fate.succeed(5_000_000L))
                .build()
                .filled(targets.targetReady());
        // So that the bucket is full again.
        world.advance(Duration.ofSeconds(5));
        return world;
    }

    /** Takes so many and finds them broken. */
    private static void lose(World world, int count) {
        List<Pooled<Wire>> broken = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            broken.add(world.take());
        }
        broken.forEach(pooled -> world.discard(pooled, DiscardReason.BAD));
        world.settle();
    }

    private static int openedWithin(World world, Duration duration) {
        int before = world.connector.arrived;
        world.advance(duration);
        return world.connector.arrived - before;
    }

    @Test
    void theFirstFillTakesTheBurst() {
        World world = World.of(SIZE)
                .rate(RATE, 40)
                .script(w -> w.connector.opening = n -> Fate.succeed(5_000_000L))
                .build();
        world.advance(Duration.ofMillis(10));
        assertThat(world.counts().ready()).isEqualTo(40);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void whatIsLostWhileEnoughIsLeftComesBackAtTheRate() {
        World world = filled(Targets.of(SIZE));
        lose(world, 20);
        assertThat(openedWithin(world, Duration.ofMillis(500))).isBetween(10, 12);
        assertThat(openedWithin(world, Duration.ofMillis(600))).isBetween(8, 10);
        assertThat(world.counts().ready()).isEqualTo(SIZE);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void withoutAPaceWhatIsLostComesBackInABurst() {
        World world = filled(Targets.of(SIZE), RefillPacing.OFF);
        lose(world, 20);
        assertThat(openedWithin(world, Duration.ofMillis(20))).isEqualTo(20);
        assertThat(world.counts().ready()).isEqualTo(SIZE);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void ifLittleIsLeftHalfComesAtOnceAndTheRestAtTheRate() {
        World world = filled(Targets.of(SIZE));
        lose(world, 50);
        assertThat(openedWithin(world, Duration.ofMillis(20))).isBetween(20, 22);
        assertThat(openedWithin(world, Duration.ofSeconds(1))).isBetween(19, 21);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void asSoonAsSomebodyWaitsTheBurstIsThereForHim() {
        World world = filled(new Targets(SIZE, 10, 10, 0));
        List<Pooled<Wire>> held = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            held.add(world.take());
        }
        var waiting = new ArrayList<>(List.of(world.acquire(Duration.ofSeconds(1))));
        for (int i = 0; i < 19; i++) {
            waiting.add(world.acquire(Duration.ofSeconds(1)));
        }
        world.advance(Duration.ofMillis(20));
        waiting.forEach(checkout -> held.add(checkout.pooled()));
        assertThat(held).hasSize(30).doesNotContainNull();
        held.forEach(world::release);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void moreThanEverIsOpenedAsFastAsCanBe() {
        World world = filled(Targets.of(30));
        world.reservoir.setTargets(Targets.of(SIZE));
        assertThat(openedWithin(world, Duration.ofMillis(20))).isEqualTo(SIZE - 30);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void soIsMoreThatIsToBeLeftOpen() {
        World world = filled(new Targets(SIZE, 0, 0, 0));
        world.reservoir.setTargets(new Targets(SIZE, 0, 0, 30));
        assertThat(openedWithin(world, Duration.ofMillis(20))).isEqualTo(30);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void whatIsLostIsThereAfterTenSecondsHoweverLowTheRate() {
        World world = World.of(SIZE)
                .rate(0.1, 1_000)
                .settings(s -> s.keepalive(Duration.ZERO))
                .script(w -> w.connector.opening = n -> Fate.succeed(5_000_000L))
                .build()
                .filled(SIZE);
        lose(world, 30);
        assertThat(openedWithin(world, Duration.ofSeconds(2))).isBetween(11, 14);
        world.advance(Duration.ofSeconds(8));
        assertThat(world.counts().ready()).isEqualTo(SIZE);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void withoutARateAFewAreOpenedAbreast() {
        World world = World.of(SIZE)
                .settings(s -> s.keepalive(Duration.ZERO))
                .script(w -> w.connector.opening = n -> Fate.succeed(20_000_000L))
                .build()
                .filled(SIZE);
        lose(world, 20);
        long end = world.clock.nanos() + Duration.ofMillis(300).toNanos();
        while (world.stepUntil(end)) {
            assertThat(world.counts().opening()).isLessThanOrEqualTo(4);
        }
        assertThat(world.counts().ready()).isEqualTo(SIZE);
        world.closeAndCheck(Duration.ZERO);
    }
}
