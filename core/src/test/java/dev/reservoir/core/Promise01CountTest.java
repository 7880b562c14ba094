package dev.reservoir.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.kit.Fate;
import dev.reservoir.core.kit.ScriptedConnector;
import dev.reservoir.core.kit.Wire;
import dev.reservoir.core.kit.World;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Promise 1: ready, in use and opening never exceed the maximum and the successors' allowance. */
class Promise01CountTest {

    private static World.Builder aging(int maxOpen, int allowance) {
        return World.of(maxOpen)
                .settings(s -> s.baseLifetime(Duration.ofSeconds(10))
                        .lifetimeJitter(Duration.ofSeconds(2))
                        .guardWindow(Duration.ofSeconds(2))
                        .successorAllowance(allowance));
    }

    /** All that the server has at this moment, and what is about to come to it. */
    private static int onTheServer(World world) {
        return world.connector.open.size() + world.connector.closesInFlight + world.connector.opensInFlight;
    }

    /** Takes and gives back at random for so long. Answers the most connections the server ever saw at once. */
    private static int use(World world, Duration duration) {
        SplittableRandom random = new SplittableRandom(7);
        List<Pooled<Wire>> held = new ArrayList<>();
        int[] most = {0};
        var opening = world.connector.opening;
        world.connector.opening = n -> {
            most[0] = Math.max(most[0], onTheServer(world));
            return opening.apply(n);
        };
        long end = world.clock.nanos() + duration.toNanos();
        while (world.clock.nanos() < end) {
            Pooled<Wire> got = random.nextBoolean() ? world.tryAcquire() : null;
            if (got != null) {
                held.add(got);
            } else if (!held.isEmpty()) {
                world.release(held.remove(random.nextInt(held.size())));
            }
            world.advance(Duration.ofMillis(random.nextInt(100)));
        }
        held.forEach(world::release);
        world.settle();
        return most[0];
    }

    @Test
    void aConnectionKeepsItsPlaceUntilItIsClosed() {
        World world = World.of(10)
                .settings(s -> s.successorAllowance(2).closesInFlightMax(5))
                .build()
                .filled(10);
        world.connector.closing = wire -> Fate.succeed(Duration.ofMillis(40).toNanos());
        int[] most = {0};
        world.connector.opening = n -> {
            most[0] = Math.max(most[0], onTheServer(world));
            return Fate.succeed(ScriptedConnector.HANDSHAKE_NANOS);
        };

        world.reservoir.flush();

        world.advanceMillis(20);
        assertThat(world.connector.opensBegun).as("the allowance only").isEqualTo(12);
        world.advanceMillis(40);
        assertThat(world.connector.opensBegun).as("five are closed").isEqualTo(17);
        world.advanceMillis(40);
        assertThat(world.counts().ready()).isEqualTo(10);
        assertThat(most[0]).isEqualTo(12);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void aCloseThatTakesLongDoesNotKeepItsSuccessorWaiting() {
        World world =
                World.of(10).settings(s -> s.successorAllowance(0)).build().filled(10);
        world.closesAnswer = false;
        world.connector.closing = wire -> Fate.succeed(Duration.ofSeconds(5).toNanos());

        world.reservoir.flush();

        world.advanceMillis(99);
        assertThat(world.connector.opensBegun).isEqualTo(10);
        world.advanceMillis(100);
        assertThat(world.counts().ready()).isEqualTo(10);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void slowClosesDoNotShowWhenManyExpire() {
        World world = World.of(50)
                .settings(s -> s.baseLifetime(Duration.ofMinutes(2))
                        .lifetimeJitter(Duration.ZERO)
                        .guardWindow(Duration.ofSeconds(10)))
                .build()
                .filled(50);
        world.closesAnswer = false;
        world.connector.closing = wire -> Fate.succeed(Duration.ofSeconds(2).toNanos());
        int least = 50;
        for (int i = 0; i < 3_000; i++) {
            world.advanceMillis(100);
            least = Math.min(least, world.counts().size());
        }
        assertThat(least).isEqualTo(50);
        assertThat(world.checker.discards.get(DiscardReason.SUPERSEDED)).isGreaterThanOrEqualTo(100);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void successorsStandBesideTheirPredecessorsWithinTheAllowance() {
        World world = aging(20, -1).build().filled(20);
        int most = use(world, Duration.ofMinutes(2));
        assertThat(most).isBetween(21, 22);
        assertThat(world.checker.discards).containsKey(DiscardReason.SUPERSEDED);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void theAllowanceIsATenthOfTheMaximumAndAtLeastOne() {
        Settings settings = Settings.defaults();
        assertThat(settings.successorAllowanceFor(1)).isEqualTo(1);
        assertThat(settings.successorAllowanceFor(19)).isEqualTo(1);
        assertThat(settings.successorAllowanceFor(200)).isEqualTo(20);
    }

    @Test
    void withoutAnAllowanceAPredecessorIsRetiredFirst() {
        World world = aging(5, 0).build().filled(5);
        assertThat(use(world, Duration.ofMinutes(2))).isEqualTo(5);
        assertThat(world.checker.discards).containsKey(DiscardReason.SUPERSEDED);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void withoutAnAllowanceACheckoutKeepsItsPlaceUntilItComesBack() {
        World world = aging(3, 0).build().filled(3);
        List<Pooled<Wire>> held = world.take(3);
        world.advance(Duration.ofMinutes(1));
        assertThat(world.connector.arrived).isEqualTo(3);
        held.forEach(world::release);
        world.filled(3);
        assertThat(world.connector.arrived).isEqualTo(6);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void aLowerMaximumRetiresReadyConnectionsAtOnceAndHandedOutOnesOnlyIfItMust() {
        World world = World.of(10).build().filled(10);
        List<Pooled<Wire>> held = world.take(4);
        world.setTargets(Targets.of(6));
        world.settle();
        assertThat(world.counts()).extracting(Counts::size, Counts::inUse).containsExactly(6, 4);
        world.setTargets(Targets.of(3));
        world.settle();
        assertThat(world.counts()).extracting(Counts::size, Counts::inUse).containsExactly(4, 4);
        held.forEach(world::release);
        world.settle();
        assertThat(world.counts()).extracting(Counts::size, Counts::ready).containsExactly(3, 3);
        assertThat(world.checker.discards).containsOnlyKeys(DiscardReason.RESERVOIR_FULL);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void aHigherMaximumIsFilled() {
        World world = World.of(2).build().filled(2);
        world.setTargets(Targets.of(150));
        world.filled(150);
        assertThat(world.connector.arrived).isEqualTo(150);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void aLowerMaximumSpendsNoPermitOnWhatIsNotWantedAnyMore() {
        World world = World.of(20).rate(1, 1).build();
        world.advanceMillis(1_500);
        assertThat(world.counts().waitingForPermit()).isEqualTo(18);
        world.setTargets(Targets.of(3));
        world.advance(Duration.ofSeconds(30));
        assertThat(world.connector.opensBegun).isEqualTo(3);
        assertThat(world.checker.discards).isEmpty();
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void theMaximumCanGoUpAndDownWhileConnectsAreUnderWay() {
        World world = World.of(20)
                .script(w -> w.connector.opening = n -> Fate.succeed(1_000_000_000L))
                .build();
        world.advanceMillis(10);
        assertThat(world.counts().opening()).isEqualTo(20);
        world.setTargets(Targets.of(4));
        world.advance(Duration.ofSeconds(5));
        assertThat(world.counts().size()).isEqualTo(4);
        world.setTargets(Targets.of(8));
        world.filled(8);
        world.closeAndCheck(Duration.ZERO);
    }
}
