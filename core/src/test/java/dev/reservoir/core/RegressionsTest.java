package dev.reservoir.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.NoConnectionException.Why;
import dev.reservoir.core.kit.Fate;
import dev.reservoir.core.kit.TestCheckout;
import dev.reservoir.core.kit.Wire;
import dev.reservoir.core.kit.World;
import dev.reservoir.core.spi.Listener;
import dev.reservoir.core.spi.Permits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** What once went wrong, each in the smallest form that showed it. */
class RegressionsTest {

    @Test
    void whoJoinsWhileAPauseEndsIsServed() {
        List<CompletableFuture<Pooled<Wire>>> joined = new ArrayList<>();
        List<World> worlds = new ArrayList<>();
        World world = World.of(3)
                .listener(new Listener<>() {
                    @Override
                    public void discarded(Pooled<Wire> connection, DiscardReason reason, long remainingNanos) {
                        joined.add(worlds.get(0)
                                .reservoir
                                .acquireAsync(Duration.ofMinutes(1).toNanos()));
                    }
                })
                .build()
                .filled(3);
        worlds.add(world);
        Pooled<Wire> bad = world.take();
        world.call(world.reservoir::pause);
        world.settle();
        world.call(() -> {
            world.reservoir.discard(bad, DiscardReason.BAD);
            world.reservoir.resume();
        });
        world.settle();
        assertThat(joined).hasSize(1);
        assertThat(joined.get(0)).isCompleted();
    }

    @Test
    void aServerThatAdmitsOneInTenIsNotHammered() {
        World world = World.of(500)
                .script(w -> w.connector.opening = n ->
                        n % 10 == 0 ? Fate.succeed(5_000_000L) : Fate.fail(OpenFailureReason.SERVER_RATE, 5_000_000L))
                .build();
        world.advance(Duration.ofSeconds(1));
        assertThat(world.connector.opensBegun).isLessThan(250);
    }

    @Test
    void permitsThatCannotTellTheirRateDoNotStopTheEngine() {
        Permits moody = new Permits() {
            private final Permits inner = LocalPermits.unlimited();

            @Override
            public CompletionStage<Permit> acquire(Urgency urgency) {
                return inner.acquire(urgency);
            }

            @Override
            public double ratePerSecond() {
                throw new IllegalStateException("cannot tell");
            }

            @Override
            public String describe() {
                throw new IllegalStateException("cannot tell");
            }
        };
        World donor = World.of(1).build();
        Reservoir<Wire> reservoir = Reservoir.builder(donor.connector)
                .targets(Targets.of(2))
                .settings(Settings.builder().validationInterval(Duration.ZERO).build())
                .permits(moody)
                .time(donor.clock)
                .random(new SplittableRandom(1))
                .callbacks(donor.clock::execute)
                .build();
        donor.clock.advance(Duration.ofHours(1).toNanos());
        Stats stats = reservoir.stats();
        assertThat(stats.open()).isEqualTo(2);
        assertThat(stats.discards()).isNotEmpty();
        reservoir.tryAcquire();
        reservoir.tryAcquire();
        CompletableFuture<Pooled<Wire>> waiting =
                reservoir.acquireAsync(Duration.ofSeconds(1).toNanos());
        donor.clock.advance(Duration.ofSeconds(2).toNanos());
        assertThat(waiting).isCompletedExceptionally();
    }

    @Test
    void aSmallBurstDoesNotMakeTheHandshakeAThrottle() {
        for (int burst : new int[] {1, 2, 3, 5}) {
            World world = World.of(400)
                    .rate(100, burst)
                    .script(w -> w.connector.opening = n -> Fate.succeed(30_000_000L))
                    .build();
            world.advance(Duration.ofSeconds(2));
            assertThat(world.connector.opensBegun).as("burst %d", burst).isGreaterThanOrEqualTo(198);
        }
    }

    @Test
    void refusedConnectsKeepValidatedConnectionsOutOnlyOnce() {
        World world = World.of(10)
                .settings(s -> s.keepalive(Duration.ZERO))
                .script(w -> {
                    w.connector.opening =
                            n -> n < 9 ? Fate.succeed(1_000_000L) : Fate.fail(OpenFailureReason.CONNECT, 1_000_000L);
                    w.connector.validating = wire -> Fate.succeed(300_000_000L);
                })
                .build();
        world.advance(Duration.ofSeconds(5));
        int empty = 0;
        for (int i = 0; i < 300; i++) {
            world.advanceMillis(100);
            empty += world.counts().ready() == 0 ? 1 : 0;
        }
        assertThat(empty).isZero();
        assertThat(world.connector.validationsBegun).isLessThanOrEqualTo(9);
    }

    @Test
    void aFlushWhileConnectionsAreBeingValidatedIsFollowedByNewOnes() {
        World world = World.of(new Targets(100, 20, 20, 0))
                .script(w -> w.connector.validating = wire -> Fate.hang())
                .build()
                .filled(20);
        world.suspectAll();
        world.settle();
        world.call(world.reservoir::flush);
        world.advanceMillis(200);
        assertThat(world.counts().ready()).isEqualTo(20);
    }

    @Test
    void aGracefulCloseGivesBackTheLeaseOfAHungConnect() {
        World world = World.of(3)
                .leases(5)
                .settings(s -> s.connectTimeout(Duration.ofSeconds(1)))
                .script(w -> w.connector.opening = n -> n == 2 ? Fate.hang() : Fate.succeed(1_000_000L))
                .build();
        world.advance(Duration.ofSeconds(3));
        CompletableFuture<Void> done = world.reservoir.closeAsync(Duration.ofMinutes(1));
        world.advance(Duration.ofSeconds(2));
        assertThat(done).isCompleted();
        assertThat(java.util.Objects.requireNonNull(world.leases).out).isEmpty();
    }

    @Test
    void callbacksThatAreRefusedCostNoConnection() {
        World world = World.of(1)
                .callbacks(task -> {
                    throw new RejectedExecutionException("full");
                })
                .build()
                .filled(1);
        Pooled<Wire> held = world.take();
        TestCheckout waiting = world.acquire(Duration.ofSeconds(10));
        world.release(held);
        // Without the checks of every step: it is handed over, and not told yet.
        world.clock.advance(Duration.ofSeconds(1).toNanos());
        assertThat(waiting.isServed()).isTrue();
        assertThat(world.counts().inUse()).isEqualTo(1);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void whoWaitsForReadyConnectionsIsToldOfTheEnd() {
        World world = World.of(2).build().filled(2);
        CompletableFuture<Void> never = world.reservoir.whenReady(3);
        CompletableFuture<Void> closed = world.reservoir.closeAsync(Duration.ZERO);
        world.advanceMillis(10);
        assertThat(closed).isCompleted();
        CompletableFuture<Void> after = world.reservoir.whenReady(1);
        world.settle();
        for (CompletableFuture<Void> future : List.of(never, after)) {
            assertThat(future)
                    .failsWithin(Duration.ZERO)
                    .withThrowableOfType(java.util.concurrent.ExecutionException.class)
                    .havingCause()
                    .isInstanceOfSatisfying(
                            NoConnectionException.class,
                            e -> assertThat(e.why()).isEqualTo(Why.CLOSED));
        }
    }

    @Test
    void aSlowButLegalRateIsNoFailure() {
        World world = World.of(50).rate(0.5, 1).build();
        world.advance(Duration.ofSeconds(110));
        assertThat(world.stats().openFailures()).isEmpty();
        assertThat(world.stats().open()).isEqualTo(50);
    }

    @Test
    void anEvictedConnectionIsNotHandedOutAgainHoweverSoonItComesBack() {
        World world = World.of(1).build().filled(1);
        Pooled<Wire> evicted = world.take();
        world.reservoir.evict(evicted);
        world.reservoir.release(evicted);
        assertThat(world.reservoir.tryAcquire()).isNull();
        world.advanceMillis(100);
        assertThat(world.take()).isNotSameAs(evicted);
        assertThat(world.stats().discards()).containsEntry(DiscardReason.EVICTED, 1L);
    }
}
