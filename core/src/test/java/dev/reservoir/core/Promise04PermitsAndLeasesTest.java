package dev.reservoir.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.kit.Fate;
import dev.reservoir.core.kit.ScriptedConnector;
import dev.reservoir.core.kit.Violations;
import dev.reservoir.core.kit.Wire;
import dev.reservoir.core.kit.World;
import dev.reservoir.core.time.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Promise 4: no connect without a permit and a lease, and nothing but the permit slows connects down. */
class Promise04PermitsAndLeasesTest {

    @ParameterizedTest
    @ValueSource(longs = {1, 30, 200, 2_000})
    void theTimeToFillIsThatOfThePermitsAndOneHandshake(long handshakeMillis) {
        World world = World.of(200)
                .rate(100, 10)
                .settings(s -> s.opensInFlightMax(300))
                .script(w -> w.connector.opening = n -> Fate.succeed(handshakeMillis * 1_000_000))
                .build()
                .filled(200);
        // The permits wait for the answers to the first burst, for 81 ms at most.
        assertThat(Duration.ofNanos(world.clock.nanos()).toMillis())
                .isBetween(1_900 + handshakeMillis, 1_990 + handshakeMillis);
        assertThat(world.connector.opensBegun).isEqualTo(200);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void connectsUnderWayAreBounded() {
        World world = World.of(100).settings(s -> s.opensInFlightMax(7)).build().filled(100);
        assertThat(world.connector.opensInFlightMost).isEqualTo(7);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void reservoirsThatShareTheirPermitsStayInsideTheRateTogether() {
        VirtualTime time = new VirtualTime();
        ScriptedConnector connector = new ScriptedConnector(time, new Violations());
        List<Long> begun = new ArrayList<>();
        connector.opening = n -> {
            begun.add(time.nanos());
            return Fate.succeed(30_000_000L);
        };
        LocalPermits permits = new LocalPermits(100, 10, time);
        List<Reservoir<Wire>> fleet = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            fleet.add(Reservoir.builder(connector)
                    .targets(Targets.of(20))
                    .settings(
                            Settings.builder().validationInterval(Duration.ZERO).build())
                    .permits(permits)
                    .time(time)
                    .build());
        }
        time.advance(Duration.ofMillis(1_850).toNanos());
        assertThat(connector.arrived).isLessThan(200);
        time.advance(Duration.ofMillis(150).toNanos());
        assertThat(connector.arrived).isEqualTo(200);
        assertThat(fleet).allSatisfy(r -> assertThat(r.stats().ready()).isEqualTo(20));
        for (int i = 0; i < begun.size(); i++) {
            for (int j = i; j < begun.size(); j++) {
                double allowed = 10 + 100 * (begun.get(j) - begun.get(i)) / 1e9;
                assertThat(j - i + 1).isLessThanOrEqualTo((int) Math.floor(allowed + 1e-3));
            }
        }
    }

    @Test
    void permitsOfCancelledConnectsAreGivenBackUnused() {
        World world = World.of(10).rate(1, 1).build();
        world.advanceMillis(1_500);
        int used = world.permits.used();
        world.call(world.reservoir::pause);
        world.advance(Duration.ofSeconds(30));
        assertThat(world.permits.used()).isEqualTo(used);
        assertThat(world.connector.opensBegun).isEqualTo(used);
        world.call(world.reservoir::resume);
        world.filled(10);
        assertThat(world.connector.opensBegun).isEqualTo(10);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void everyConnectionHoldsALease() {
        World world = World.of(5).leases(8).build().filled(5);
        assertThat(world.leases.out).hasSize(5);
        Pooled<Wire> pooled = world.take();
        assertThat(world.leases.out).contains(pooled.leaseId());
        world.discard(pooled, DiscardReason.BAD);
        world.advance(Duration.ofSeconds(1));
        assertThat(world.leases.out).hasSize(5).doesNotContain(pooled.leaseId());
        world.closeAndCheck(Duration.ZERO);
        assertThat(world.leases.out).isEmpty();
    }

    @Test
    void whereLeasesRunOutThoseThatWereHadAreUsed() {
        World world = World.of(10).leases(4).rate(1, 1).build();
        world.advance(Duration.ofSeconds(20));
        assertThat(world.counts().ready()).isEqualTo(4);
        assertThat(world.leases.out).hasSize(4);
        assertThat(world.checker.failures).containsOnlyKeys(OpenFailureReason.LEASE_ACQUIRE);
        world.leases.limit = 100;
        world.filled(10);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void leasesThatAreRefusedAreAskedForLessAndLessOften() {
        World world = World.of(10).leases(4).build();
        world.advance(Duration.ofSeconds(30));
        int asked = world.leases.asked;
        world.advance(Duration.ofSeconds(60));
        // At the longest pause of 5 s with jitter over its upper half: at most one each 2.5 s.
        assertThat(world.leases.asked - asked).isBetween(12, 25);
        assertThat(world.counts().ready()).isEqualTo(4);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void aLeaseThatComesAfterItsTimeOutIsGivenBack() {
        World world = World.of(1)
                .leases(10)
                .settings(s -> s.leaseTimeout(Duration.ofSeconds(1)))
                .script(w -> w.leases.acquiring = n -> n == 1 ? Fate.succeed(3_000_000_000L) : Fate.succeed(0))
                .build();
        world.advance(Duration.ofSeconds(2));
        assertThat(world.checker.failures).containsOnlyKeys(OpenFailureReason.LEASE_ACQUIRE);
        world.advance(Duration.ofSeconds(5));
        assertThat(world.leases.out).hasSize(1);
        assertThat(world.leases.granted).isEqualTo(2);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void aPermitThatDoesNotComeInTimeIsAFailureThatIsTriedAgain() {
        World world = World.of(2)
                .settings(s -> s.permitTimeout(Duration.ofSeconds(1)))
                .script(w -> w.permits.instead = java.util.concurrent.CompletableFuture::new)
                .build();
        world.advance(Duration.ofSeconds(10));
        assertThat(world.checker.failures).containsOnlyKeys(OpenFailureReason.RATE_LIMIT);
        assertThat(world.connector.opensBegun).isZero();
        world.permits.instead = () -> null;
        world.filled(2);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void theStartIsDelayedByLessThanTheSetting() {
        List<Long> firsts = new ArrayList<>();
        for (int seed = 0; seed < 50; seed++) {
            World world = World.of(1)
                    .seed(seed)
                    .settings(s -> s.startDelayMax(Duration.ofSeconds(10)))
                    .build()
                    .filled(1);
            firsts.add(world.clock.nanos() - ScriptedConnector.HANDSHAKE_NANOS);
            world.closeAndCheck(Duration.ZERO);
        }
        assertThat(firsts).allMatch(first -> first < Duration.ofMillis(10_100).toNanos());
        assertThat(firsts).anyMatch(first -> first < Duration.ofSeconds(2).toNanos());
        assertThat(firsts).anyMatch(first -> first > Duration.ofSeconds(8).toNanos());
    }

    @Test
    void belowTheLowWatermarkPermitsAreAskedForUrgently() {
        World world = World.of(new Targets(10, 10, 4, 0))
                .settings(s -> s.opensInFlightMax(1))
                .build()
                .filled(10);
        assertThat(world.permits.askedUrgently).isEqualTo(4);
        assertThat(world.permits.asked).isEqualTo(10);
        world.take(8).forEach(pooled -> world.discard(pooled, DiscardReason.BAD));
        world.filled(10);
        assertThat(world.permits.askedUrgently).isEqualTo(6);
        world.closeAndCheck(Duration.ZERO);
    }
}
