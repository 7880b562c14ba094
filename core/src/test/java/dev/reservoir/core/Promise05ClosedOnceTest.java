package dev.reservoir.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.kit.Fate;
import dev.reservoir.core.kit.Fate.Kind;
import dev.reservoir.core.kit.Wire;
import dev.reservoir.core.kit.World;
import dev.reservoir.core.spi.Listener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Promise 5: every connection opened is closed exactly once and its lease given back exactly once, off the caller's
 * path. The pretended world notes every close and release, that it was the first, and that no caller's call was on the
 * stack.
 */
class Promise05ClosedOnceTest {

    @Test
    void everyWayOutLeadsToOneClose() {
        World world = World.of(6)
                .leases(20)
                .settings(s -> s.baseLifetime(Duration.ofSeconds(30))
                        .lifetimeJitter(Duration.ZERO)
                        .guardWindow(Duration.ofSeconds(5)))
                .build()
                .filled(6);
        world.discard(world.take(), DiscardReason.BAD);
        Pooled<Wire> evicted = world.take();
        world.call(() -> world.reservoir.evict(evicted));
        world.call(() -> world.reservoir.evict(evicted));
        world.release(evicted);
        world.filled(6);
        world.call(() -> world.reservoir.evict(evicted));
        world.connector.open.iterator().next().broken = true;
        world.suspectAll();
        world.filled(6);
        world.advance(Duration.ofMinutes(1));
        world.call(world.reservoir::flush);
        world.filled(6);
        world.closeAndCheck(Duration.ZERO);
        assertThat(world.checker.discards)
                .containsKeys(
                        DiscardReason.BAD,
                        DiscardReason.EVICTED,
                        DiscardReason.VALIDATION_FAILED,
                        DiscardReason.SUPERSEDED,
                        DiscardReason.SHUTDOWN);
        assertThat(world.leases.out).isEmpty();
        assertThat(world.leases.granted).isEqualTo(world.leases.releaseCalls).isEqualTo(world.connector.arrived);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void aCloseThatGoesWrongStillGivesTheLeaseBackOnce(Kind kind) {
        World world = World.of(3)
                .leases(10)
                .settings(s -> s.closeTimeout(Duration.ofSeconds(2)))
                .build()
                .filled(3);
        world.closesAnswer = false;
        world.connector.closing = wire -> new Fate(kind, 1_000_000L, OpenFailureReason.CONNECT);
        Pooled<Wire> bad = world.take();
        world.discard(bad, DiscardReason.BAD);
        world.advance(Duration.ofSeconds(3));
        assertThat(world.leases.out).hasSize(3).doesNotContain(bad.leaseId());
        assertThat(world.stats().closed()).isEqualTo(1);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void closesRunSideBySideUpToTheirBound() {
        World world = World.of(50)
                .settings(s -> s.closesInFlightMax(8))
                .script(w -> w.connector.closing = wire -> Fate.succeed(100_000_000L))
                .build()
                .filled(50);
        world.call(world.reservoir::flush);
        world.settle();
        assertThat(world.connector.closesInFlight).isEqualTo(8);
        assertThat(world.stats().closing()).isEqualTo(50);
        world.advanceMillis(700);
        assertThat(world.stats().closing()).isZero();
        assertThat(world.connector.closesInFlightMost).isEqualTo(8);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void aLeaseThatCannotBeGivenBackAtOnceIsTriedAgainWithGrowingPauses() {
        List<Long> tries = new ArrayList<>();
        World world = World.of(1)
                .leases(5)
                .settings(s -> s.leaseReleaseAttempts(4).backoff(Duration.ofMillis(100), Duration.ofSeconds(5)))
                .build()
                .filled(1);
        world.leases.releasing = n -> {
            tries.add(world.clock.nanos());
            return n < 4 ? Fate.of(Kind.FAIL_UNNAMED) : Fate.succeed(0);
        };
        Pooled<Wire> bad = world.take();
        world.discard(bad, DiscardReason.BAD);
        world.advance(Duration.ofSeconds(10));
        assertThat(world.leases.out).hasSize(1).doesNotContain(bad.leaseId());
        assertThat(tries).hasSize(4);
        for (int i = 1; i < tries.size(); i++) {
            assertThat(tries.get(i) - tries.get(i - 1)).isEqualTo(100_000_000L << (i - 1));
        }
        assertThat(world.stats().leaseReleaseFailures()).isZero();
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void thePausesBetweenReleasesOfALeaseGrowNoLongerThanTheBackoff() {
        List<Long> tries = new ArrayList<>();
        World world = World.of(1)
                .leases(5)
                .settings(s -> s.leaseReleaseAttempts(100).backoff(Duration.ofMillis(100), Duration.ofMillis(300)))
                .build()
                .filled(1);
        world.leases.releasing = n -> {
            tries.add(world.clock.nanos());
            return n < 80 ? Fate.of(Kind.FAIL_UNNAMED) : Fate.succeed(0);
        };
        world.discard(world.take(), DiscardReason.BAD);
        world.advance(Duration.ofSeconds(30));
        assertThat(tries).hasSize(80);
        for (int i = 1; i < tries.size(); i++) {
            assertThat(tries.get(i) - tries.get(i - 1))
                    .as("pause %d", i)
                    .isEqualTo(Math.min(300_000_000L, 100_000_000L << Math.min(i - 1, 2)));
        }
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void aLeaseThatCannotBeGivenBackAtAllIsReportedAfterTheLastTry() {
        List<Boolean> released = new ArrayList<>();
        World world = World.of(1)
                .leases(5)
                .settings(s -> s.leaseReleaseAttempts(3))
                .listener(new Listener<>() {
                    @Override
                    public void closed(Pooled<Wire> connection, boolean leaseReleased) {
                        released.add(leaseReleased);
                    }
                })
                .build()
                .filled(1);
        world.leases.releasing = n -> Fate.of(Kind.THROW);
        world.discard(world.take(), DiscardReason.BAD);
        world.advance(Duration.ofMinutes(1));
        assertThat(world.leases.releaseCalls).isEqualTo(3);
        assertThat(released).containsExactly(false);
        assertThat(world.stats().leaseReleaseFailures()).isEqualTo(1);
        world.leases.releasing = n -> Fate.succeed(0);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void aReleaseThatHangsIsTriedAgainAndCountsOnce() {
        World world = World.of(1)
                .leases(5)
                .settings(s -> s.leaseTimeout(Duration.ofSeconds(1)))
                .build()
                .filled(1);
        world.leases.releasing = n -> n == 1 ? Fate.hang() : Fate.succeed(0);
        Pooled<Wire> bad = world.take();
        world.discard(bad, DiscardReason.BAD);
        world.advance(Duration.ofSeconds(5));
        assertThat(world.leases.releaseCalls).isEqualTo(2);
        assertThat(world.leases.out).hasSize(1).doesNotContain(bad.leaseId());
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void aConnectionThatComesLateIsClosedAndItsLeaseHeldUntilThen() {
        World world = World.of(1)
                .leases(5)
                .settings(s -> s.connectTimeout(Duration.ofSeconds(1)))
                .script(w ->
                        w.connector.opening = n -> n == 1 ? Fate.succeed(4_000_000_000L) : Fate.succeed(1_000_000L))
                .build();
        world.advance(Duration.ofSeconds(3));
        assertThat(world.counts().ready()).isEqualTo(1);
        assertThat(world.leases.out).hasSize(2);
        world.advance(Duration.ofSeconds(2));
        assertThat(world.leases.out).hasSize(1);
        assertThat(world.stats().discards()).containsEntry(DiscardReason.LATE, 1L);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void listenersHearEachStepOfALifeInOrder() {
        List<String> heard = new ArrayList<>();
        World world = World.of(1).listener(new Diary(heard)).build().filled(1);
        Pooled<Wire> pooled = world.take();
        world.release(pooled);
        world.take();
        world.discard(pooled, DiscardReason.BAD);
        world.call(world.reservoir::pause);
        world.advanceMillis(10);
        assertThat(heard)
                .containsExactly("opened", "inUse", "released", "inUse", "released", "discarded bad", "closed");
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void newConnectionsAreHeardOfBeforeTheyAreHandedOutToThoseWhoWait() {
        List<String> heard = new ArrayList<>();
        World world = World.of(4).completesAtOnce().listener(new Diary(heard)).build();
        for (int i = 0; i < 4; i++) {
            world.acquire(Duration.ofSeconds(5));
        }
        world.advanceMillis(10);
        assertThat(heard.subList(0, 4)).containsOnly("opened");
        assertThat(heard.subList(4, 8)).containsOnly("inUse");
        world.closeAndCheck(Duration.ZERO);
    }

    private record Diary(List<String> heard) implements Listener<Wire> {
        @Override
        public boolean wantsCheckouts() {
            return true;
        }

        @Override
        public void opened(Pooled<Wire> connection, long openNanos) {
            heard.add("opened");
        }

        @Override
        public void acquired(Pooled<Wire> connection) {
            heard.add("inUse");
        }

        @Override
        public void released(Pooled<Wire> connection) {
            heard.add("released");
        }

        @Override
        public void discarded(Pooled<Wire> connection, DiscardReason reason, long remainingNanos) {
            heard.add("discarded " + reason.label());
        }

        @Override
        public void closed(Pooled<Wire> connection, boolean leaseReleased) {
            heard.add("closed");
        }
    }
}
