package dev.reservoir.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.kit.Fate;
import dev.reservoir.core.kit.TestCheckout;
import dev.reservoir.core.kit.Wire;
import dev.reservoir.core.kit.World;
import dev.reservoir.core.spi.Permits.Permit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Promises 5 and 10 where the source of leases wants some back: what nobody uses goes at once, what is in use when it
 * comes back, and each lease is given back once. The checker looks after every event that nothing idle is kept while
 * leases are owed.
 */
class Promise05RecalledLeasesTest {

    /** A source that has granted what it has and grants nothing more, so that what it calls back stays with it. */
    static World full(int connections) {
        World world = World.of(connections).leases(connections).build().filled(connections);
        world.leases.limit = 0;
        return world;
    }

    @Test
    void readyConnectionsGoAtOnceAndTheirLeasesWithThem() {
        World world = full(10);
        assertThat(world.recall(4)).isEqualTo(4);
        world.advanceMillis(5);
        assertThat(world.counts().ready()).isEqualTo(6);
        assertThat(world.leases.out).hasSize(6);
        assertThat(world.leases.owed).isZero();
        assertThat(world.checker.discards).containsExactlyEntriesOf(recalled(4));
        assertThat(world.stats().discards()).containsEntry(DiscardReason.LEASE_RECALLED, 4L);
        assertEndsExactly(world);
    }

    @Test
    void readyConnectionsGoBeforeThoseInUse() {
        World world = full(5);
        List<Pooled<Wire>> inUse = world.take(3);
        assertThat(world.recall(2)).isEqualTo(2);
        world.settle();
        assertThat(world.counts().ready()).isZero();
        assertThat(world.counts().inUse()).isEqualTo(3);
        inUse.forEach(world::release);
        world.settle();
        assertThat(world.counts().ready()).isEqualTo(3);
        assertThat(world.checker.discards).containsExactlyEntriesOf(recalled(2));
        assertEndsExactly(world);
    }

    @Test
    void thoseWithTheLeastTimeLeftGoFirst() {
        World world = World.of(20)
                .leases(20)
                .rate(10, 1)
                .settings(s -> s.lifetimeJitter(Duration.ofMinutes(10)))
                .build()
                .filled(20);
        world.leases.limit = 0;
        List<Pooled<Wire>> all = world.take(20);
        List<Wire> byEnd = all.stream()
                .sorted(Comparator.comparingLong(Pooled::usableUntilNanos))
                .map(Pooled::connection)
                .toList();
        all.forEach(world::release);
        world.recall(7);
        world.advanceMillis(5);
        for (int i = 0; i < byEnd.size(); i++) {
            assertThat(byEnd.get(i).closedFor).isEqualTo(i < 7 ? DiscardReason.LEASE_RECALLED : null);
        }
        assertEndsExactly(world);
    }

    @Test
    void connectionsInUseGoWhenTheyComeBackWhicheverIsFirst() {
        World world = full(6);
        List<Pooled<Wire>> inUse = world.take(6);
        assertThat(world.recall(2)).isEqualTo(2);
        world.advance(Duration.ofMinutes(1));
        assertThat(world.counts().inUse()).isEqualTo(6);
        assertThat(world.leases.out).hasSize(6);
        world.release(inUse.get(4));
        world.release(inUse.get(1));
        world.release(inUse.get(3));
        world.advanceMillis(5);
        assertThat(inUse.get(4).connection().closedFor).isEqualTo(DiscardReason.LEASE_RECALLED);
        assertThat(inUse.get(1).connection().closedFor).isEqualTo(DiscardReason.LEASE_RECALLED);
        assertThat(inUse.get(3).connection().closedFor).isNull();
        assertThat(world.counts().ready()).isEqualTo(1);
        assertThat(world.leases.out).hasSize(4);
        // What came back while leases were owed is handed out again like any other.
        assertThat(world.take()).isEqualTo(inUse.get(3));
        world.advance(Duration.ofMinutes(1));
        assertThat(world.counts().inUse()).isEqualTo(4);
        assertEndsExactly(world);
    }

    @Test
    void whoeverWaitsIsServedAgainOnceNothingIsOwed() {
        World world = full(2);
        List<Pooled<Wire>> inUse = world.take(2);
        TestCheckout waiting = world.acquire(Duration.ofHours(1));
        assertThat(world.recall(1)).isEqualTo(1);
        world.settle();
        world.release(inUse.get(0));
        world.settle();
        assertThat(waiting.isDone()).isFalse();
        world.release(inUse.get(1));
        world.settle();
        assertThat(waiting.pooled()).isEqualTo(inUse.get(1));
        assertEndsExactly(world);
    }

    @Test
    void attemptsThatWaitForPermitsAreGivenUpFirst() {
        World world = World.of(10).leases(10).rate(0.001, 3).build();
        world.advance(Duration.ofSeconds(1));
        assertThat(world.counts().ready()).isEqualTo(3);
        assertThat(world.counts().waitingForPermit()).isEqualTo(7);
        world.leases.limit = 0;
        int granted = world.permits.granted;
        assertThat(world.recall(5)).isEqualTo(5);
        world.settle();
        assertThat(world.counts().ready()).isEqualTo(3);
        assertThat(world.counts().waitingForPermit()).isEqualTo(2);
        assertThat(world.leases.out).hasSize(5);
        assertThat(world.checker.discards).isEmpty();
        assertThat(world.recall(4)).isEqualTo(4);
        world.advanceMillis(5);
        assertThat(world.counts().ready()).isEqualTo(1);
        assertThat(world.counts().waitingForPermit()).isZero();
        assertThat(world.leases.out).hasSize(1);
        assertThat(world.permits.granted).isEqualTo(granted);
        assertEndsExactly(world);
    }

    @Test
    void thoseWhoStoodInLineForPermitsLongestStayThere() {
        List<CompletableFuture<Permit>> line = new ArrayList<>();
        World world = World.of(4)
                .leases(4)
                .script(w -> w.permits.instead = () -> {
                    CompletableFuture<Permit> request = new CompletableFuture<>();
                    line.add(request);
                    return request;
                })
                .build();
        world.settle();
        world.leases.limit = 0;
        world.recall(3);
        world.settle();
        assertThat(line).extracting(CompletableFuture::isCancelled).containsExactly(false, true, true, true);
        assertEndsExactly(world);
    }

    @Test
    void aLeaseThatIsOnItsWayHereIsTheFirstToGoBack() {
        World world = World.of(3)
                .leases(3)
                .script(w -> w.leases.acquiring = n -> n == 3 ? Fate.succeed(50_000_000L) : Fate.succeed(0))
                .build();
        world.advanceMillis(20);
        world.take(2);
        assertThat(world.recall(1)).isEqualTo(1);
        world.leases.acquiring = n -> Fate.hang();
        world.advanceMillis(40);
        assertThat(world.leases.granted).isEqualTo(3);
        assertThat(world.leases.out).hasSize(2);
        assertThat(world.leases.owed).isZero();
        assertThat(world.permits.asked).isEqualTo(2);
        assertEndsExactly(world);
    }

    @Test
    void aConnectionThatIsBeingOpenedGoesWhenItArrives() {
        World world = World.of(3)
                .leases(3)
                .script(w -> w.connector.opening = n -> Fate.succeed(1_000_000_000L))
                .build();
        world.advanceMillis(500);
        world.leases.limit = 0;
        assertThat(world.recall(2)).isEqualTo(2);
        world.advanceMillis(490);
        assertThat(world.leases.owed).isEqualTo(2);
        world.advanceMillis(20);
        assertThat(world.connector.arrived).isEqualTo(3);
        assertThat(world.counts().ready()).isEqualTo(1);
        assertThat(world.leases.out).hasSize(1);
        assertEndsExactly(world);
    }

    @Test
    void aTemporaryConnectionGoesWhenItArrives() {
        World world = World.of(1)
                .leases(5)
                .settings(s -> s.exhaustion(Exhaustion.OVERFLOW).overflowMax(2))
                .build()
                .filled(1);
        world.take();
        TestCheckout waiting = world.acquire(Duration.ofHours(1));
        world.advanceMillis(2);
        assertThat(world.counts().openingOverflow()).isEqualTo(1);
        world.leases.limit = 0;
        assertThat(world.recall(1)).isEqualTo(1);
        world.advanceMillis(10);
        assertThat(world.connector.arrived).isEqualTo(2);
        assertThat(world.checker.discards).containsExactlyEntriesOf(recalled(1));
        assertThat(world.leases.out).hasSize(1);
        assertThat(waiting.isDone()).isFalse();
        assertEndsExactly(world);
    }

    @Test
    void aLeaseThatGoesBackForAnotherReasonCounts() {
        World world = full(4);
        List<Pooled<Wire>> inUse = world.take(4);
        assertThat(world.recall(2)).isEqualTo(2);
        world.discard(inUse.get(0), DiscardReason.BAD);
        world.call(() -> world.reservoir.evict(inUse.get(1)));
        world.release(inUse.get(1));
        world.settle();
        assertThat(world.leases.owed).isZero();
        world.release(inUse.get(2));
        world.release(inUse.get(3));
        world.advanceMillis(5);
        assertThat(world.counts().ready()).isEqualTo(2);
        assertThat(world.checker.discards).containsOnlyKeys(DiscardReason.BAD, DiscardReason.EVICTED);
        assertEndsExactly(world);
    }

    @Test
    void aSecondRecallAddsUpButNeverBeyondWhatIsHeld() {
        World world = full(5);
        List<Pooled<Wire>> inUse = world.take(5);
        assertThat(world.recall(2)).isEqualTo(2);
        assertThat(world.recall(2)).isEqualTo(2);
        world.settle();
        assertThat(world.recall(Integer.MAX_VALUE)).isEqualTo(1);
        assertThat(world.recall(1)).isZero();
        inUse.forEach(world::release);
        world.advanceMillis(5);
        assertThat(world.counts().size()).isZero();
        assertThat(world.leases.out).isEmpty();
        assertThat(world.recall(1)).isZero();
        assertThat(world.checker.discards).containsExactlyEntriesOf(recalled(5));
        assertEndsExactly(world);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
    void nothingIsCalledBackByARecallOfNothing(int count) {
        World world = full(3);
        assertThat(world.recall(count)).isZero();
        world.advanceMillis(5);
        assertThat(world.counts().ready()).isEqualTo(3);
        assertEndsExactly(world);
    }

    @Test
    void whatIsBeingClosedAnywayIsNotPromisedAgain() {
        World world = full(3);
        world.closesAnswer = false;
        world.connector.closing = wire -> Fate.succeed(10_000_000_000L);
        world.call(world.reservoir::flush);
        world.settle();
        assertThat(world.leases.out).hasSize(3);
        assertThat(world.recall(3)).isZero();
        assertEndsExactly(world);
    }

    @Test
    void afterARecallConnectionsAreMissedAndAskedForAgainButOnlyOnLeases() {
        World world = full(10);
        world.recall(6);
        world.advance(Duration.ofMinutes(2));
        assertThat(world.counts().size() + world.counts().opening()).isEqualTo(4);
        assertThat(world.connector.arrived).isEqualTo(10);
        assertThat(world.checker.failures).containsOnlyKeys(OpenFailureReason.LEASE_ACQUIRE);
        world.take(4);
        TestCheckout none = world.acquire(Duration.ofMillis(10));
        world.advanceMillis(20);
        assertThat(none.refusal()).hasMessageContaining("Limit reached: cluster leases 4 of 0; no lease was given: ");
        world.leases.limit = 10;
        world.advance(Duration.ofSeconds(10));
        assertThat(world.counts().size()).isEqualTo(10);
        assertEndsExactly(world);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void onlyASourceThatQueuesRequestsIsAskedAgainWithoutAPause(boolean queues) {
        World world = World.of(4)
                .leases(4)
                .settings(s -> s.refillPacing(RefillPacing.OFF).backoff(Duration.ofSeconds(10), Duration.ofSeconds(20)))
                .build()
                .filled(4);
        world.leases.queues = queues;
        world.leases.limit = 6;
        assertThat(world.recall(2)).isEqualTo(2);
        world.advance(Duration.ofSeconds(2));
        assertThat(world.counts().size()).isEqualTo(queues ? 4 : 2);
        assertEndsExactly(world);
    }

    @Test
    void successorsNeedLeasesWhileSomeAreCalledBack() {
        World world = World.of(4)
                .leases(6)
                .settings(s -> s.baseLifetime(Duration.ofSeconds(60))
                        .lifetimeJitter(Duration.ZERO)
                        .guardWindow(Duration.ofSeconds(10)))
                .build()
                .filled(4);
        List<Pooled<Wire>> inUse = world.take(4);
        world.advance(Duration.ofSeconds(20));
        world.leases.limit = 0;
        assertThat(world.recall(2)).isEqualTo(2);
        world.advance(Duration.ofMinutes(2));
        assertThat(world.connector.arrived).isEqualTo(4);
        inUse.forEach(world::release);
        world.advanceMillis(5);
        assertThat(world.leases.out).isEmpty();
        assertEndsExactly(world);
    }

    @Test
    void aPausedReservoirGivesLeasesBackToo() {
        World world = full(4);
        world.call(world.reservoir::pause);
        world.settle();
        assertThat(world.recall(3)).isEqualTo(3);
        world.advanceMillis(5);
        assertThat(world.counts().ready()).isEqualTo(1);
        assertThat(world.leases.out).hasSize(1);
        assertEndsExactly(world);
    }

    @Test
    void connectionsThatAreBeingValidatedAreNotInUse() {
        World world = full(3);
        world.connector.validating = wire -> Fate.succeed(500_000_000L);
        world.advanceMillis(1);
        world.suspectAll();
        world.settle();
        assertThat(world.counts().validating()).isEqualTo(3);
        assertThat(world.recall(2)).isEqualTo(2);
        world.advanceMillis(5);
        assertThat(world.counts().validating()).isEqualTo(1);
        assertThat(world.leases.out).hasSize(1);
        assertEndsExactly(world);
    }

    private static Map<DiscardReason, Integer> recalled(int count) {
        return Map.of(DiscardReason.LEASE_RECALLED, count);
    }

    /** Closes, and finds every lease that was granted given back once. */
    static void assertEndsExactly(World world) {
        world.closeAndCheck(Duration.ZERO);
        assertThat(world.leases.out).isEmpty();
        assertThat(world.leases.releaseCalls).isEqualTo(world.leases.granted);
    }
}
