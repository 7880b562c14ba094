package dev.reservoir.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.kit.Fate;
import dev.reservoir.core.kit.Wire;
import dev.reservoir.core.kit.World;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Promise 8: successors are opened before their predecessors retire, so that usable connections do not dip. */
class Promise08SuccessionTest {

    /** A rate of 0 is none. */
    private static World.Builder allEndTogether(int maxOpen, double rate, long handshakeMillis) {
        World.Builder world = World.of(maxOpen);
        return (rate == 0 ? world : world.rate(rate, 10))
                .settings(s -> s.baseLifetime(Duration.ofMinutes(2))
                        .lifetimeJitter(Duration.ZERO)
                        .guardWindow(Duration.ofSeconds(10))
                        .keepalive(Duration.ZERO)
                        .opensInFlightMax(100))
                .script(w -> w.connector.opening = n -> Fate.succeed(handshakeMillis * 1_000_000L));
    }

    /** Moves the time on and answers the smallest number of open connections on the way. */
    private static int leastOpen(World world, Duration duration) {
        int least = Integer.MAX_VALUE;
        long end = world.clock.nanos() + duration.toNanos();
        while (world.stepUntil(end)) {
            least = Math.min(least, world.counts().size());
        }
        return least;
    }

    @ParameterizedTest
    @CsvSource({"200, 100, 30", "200, 20, 200", "10, 100, 5", "1, 1000, 50", "50, 5, 1000", "200, 0, 200", "500, 0, 50"
    })
    void connectionsThatEndTogetherAreSucceededWithoutADip(int maxOpen, double rate, long handshakeMillis) {
        World world = allEndTogether(maxOpen, rate, handshakeMillis).build().filled(maxOpen);
        assertThat(leastOpen(world, Duration.ofMinutes(10))).isGreaterThanOrEqualTo(maxOpen);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void noneDipsUnderFullUseEither() {
        World world = allEndTogether(50, 100, 30).build().filled(50);
        Deque<Pooled<Wire>> held = new ArrayDeque<>();
        long end = world.clock.nanos() + Duration.ofMinutes(6).toNanos();
        int empty = 0;
        while (world.clock.nanos() < end) {
            while (held.size() > 40) {
                world.release(held.removeFirst());
            }
            world.advanceMillis(20);
            for (int i = 0; i < 9; i++) {
                Pooled<Wire> got = world.tryAcquire();
                if (got == null) {
                    empty++;
                } else {
                    held.add(got);
                }
            }
        }
        assertThat(empty).isZero();
        assertThat(world.checker.discards).containsKey(DiscardReason.SUPERSEDED);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void aLongCheckoutDoesNotStandInTheWayOfTheOthersSuccessors() {
        World world = allEndTogether(10, 100, 30).build().filled(10);
        Pooled<Wire> longCheckout = world.take();
        assertThat(leastOpen(world, Duration.ofMinutes(5))).isGreaterThanOrEqualTo(10);
        world.release(longCheckout);
        world.advance(Duration.ofSeconds(1));
        assertThat(longCheckout.connection().closedFor).isEqualTo(DiscardReason.SUPERSEDED);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void rotationCostsAboutOneConnectForEachLifetime() {
        World world = allEndTogether(100, 100, 30).build().filled(100);
        world.advance(Duration.ofMinutes(20));
        // Each lives 110 s at most and is succeeded up to some seconds early: 11 to 13 generations of 100.
        assertThat(world.connector.arrived).isBetween(1_090, 1_400);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void aRateTooLowForTheNumberIsUsedUpAndNotMore() {
        World world = allEndTogether(100, 0.2, 30).build();
        world.advance(Duration.ofMinutes(30));
        // 10 at once and 0.2 a second: 370 connects, and no more than half of a lifetime is given away.
        assertThat(world.connector.arrived).isBetween(200, 371);
        assertThat(world.counts().size()).isBetween(12, 30);
        world.closeAndCheck(Duration.ZERO);
    }
}
