package dev.reservoir.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.reservoir.core.NoConnectionException.Why;
import dev.reservoir.core.kit.Fate;
import dev.reservoir.core.kit.InstantConnector;
import dev.reservoir.core.kit.TestCheckout;
import dev.reservoir.core.kit.Wire;
import dev.reservoir.core.kit.World;
import dev.reservoir.core.spi.Listener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Promise 9: close drains until its deadline and leaves no connection, thread, timer or lease behind. */
class Promise09CloseTest {

    private static CompletableFuture<Void> close(World world, Duration drain) {
        List<CompletableFuture<Void>> done = new ArrayList<>();
        world.call(() -> done.add(world.reservoir.closeAsync(drain)));
        return done.get(0);
    }

    @Test
    void aReservoirWithoutCheckoutsEndsAtOnce() {
        World world = World.of(10).leases(10).rate(100, 100).build().filled(10);
        CompletableFuture<Void> done = close(world, Duration.ofHours(1));
        world.advanceMillis(2);
        assertThat(done).isCompleted();
        world.checkEnd();
        assertThat(world.clock.nextDueNanos()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void checkoutsAreWaitedForUntilTheDeadline() {
        World world = World.of(3).build().filled(3);
        List<Pooled<Wire>> held = world.take(2);
        CompletableFuture<Void> done = close(world, Duration.ofSeconds(10));
        world.advance(Duration.ofSeconds(5));
        assertThat(world.connector.open).hasSize(2);
        held.forEach(world::release);
        world.advanceMillis(2);
        assertThat(done).isCompleted();
        world.checkEnd();
    }

    @Test
    void atTheDeadlineCheckoutsAreClosedUnderTheirCallers() {
        World world = World.of(3).leases(3).build().filled(3);
        List<Pooled<Wire>> held = world.take(2);
        CompletableFuture<Void> done = close(world, Duration.ofSeconds(10));
        world.advance(Duration.ofSeconds(10).minusNanos(1));
        assertThat(world.connector.open).hasSize(2);
        world.advanceMillis(5);
        assertThat(done).isCompleted();
        world.checkEnd();
        held.forEach(world::release);
        world.settle();
        assertThat(world.connector.closesBegun).isEqualTo(3);
        world.checkEnd();
    }

    @Test
    void waitersAndNewcomersAreToldThatItIsClosed() {
        World world = World.of(1).build().filled(1);
        world.take();
        TestCheckout waiting = world.acquire(Duration.ofMinutes(1));
        CompletableFuture<Void> done = close(world, Duration.ofMinutes(1));
        TestCheckout newcomer = world.acquire(Duration.ofMinutes(1));
        assertThat(world.tryAcquire()).isNull();
        world.settle();
        assertThat(waiting.refusal().why()).isEqualTo(Why.CLOSED);
        assertThat(newcomer.refusal().why()).isEqualTo(Why.CLOSED);
        assertThat(newcomer.refusal()).hasMessage("orders: the reservoir is closed.");
        assertThat(world.reservoir.isClosed()).isTrue();
        assertThat(done).isNotDone();
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void aCheckoutAfterTheCloseIsNotCountedAsOneThatFoundNothingReady() {
        AtomicInteger empties = new AtomicInteger();
        World world = World.of(1)
                .listener(new Listener<>() {
                    @Override
                    public void empty() {
                        empties.incrementAndGet();
                    }
                })
                .build()
                .filled(1);
        world.take();
        CompletableFuture<Void> done = close(world, Duration.ZERO);
        TestCheckout newcomer = world.acquire(Duration.ofMinutes(1));
        world.settle();
        assertThat(newcomer.refusal().why()).isEqualTo(Why.CLOSED);
        assertThat(world.stats().empties()).isZero();
        assertThat(empties).hasValue(0);
        world.closeAndCheck(Duration.ZERO);
        assertThat(done).isCompleted();
    }

    @Test
    void aSecondCloseCanShortenTheDrain() {
        World world = World.of(1).build().filled(1);
        world.take();
        CompletableFuture<Void> patient = close(world, Duration.ofHours(1));
        world.advance(Duration.ofSeconds(1));
        CompletableFuture<Void> impatient = close(world, Duration.ZERO);
        world.advanceMillis(5);
        assertThat(patient).isCompleted();
        assertThat(impatient).isCompleted();
        world.checkEnd();
        CompletableFuture<Void> late = close(world, Duration.ofHours(1));
        world.settle();
        assertThat(late).isCompleted();
        world.checkEnd();
    }

    @Test
    void whatHangsIsNotWaitedForBeyondTheDeadlineAndItsTimeOuts() {
        World world = World.of(5)
                .leases(20)
                .settings(s -> s.closeTimeout(Duration.ofSeconds(3)).validationTimeout(Duration.ofSeconds(30)))
                .build()
                .filled(5);
        world.closesAnswer = false;
        world.connector.opening = n -> Fate.hang();
        world.connector.validating = wire -> Fate.hang();
        world.connector.closing = wire -> Fate.hang();
        world.discard(world.take(), DiscardReason.BAD);
        world.advanceMillis(1);
        world.suspectAll();
        world.settle();
        assertThat(world.stats()).extracting(Stats::opening, Stats::validating).containsExactly(1, 4);
        CompletableFuture<Void> done = close(world, Duration.ofSeconds(1));
        world.advance(Duration.ofSeconds(5));
        assertThat(done).isCompleted();
        world.checkEnd();
    }

    @Test
    void connectsThatWaitForLeasesAndPermitsAreGivenUp() {
        World world = World.of(20)
                .rate(0.01, 2)
                .leases(30)
                .script(w -> w.leases.acquiring = n -> n > 10 ? Fate.hang() : Fate.succeed(0))
                .build();
        world.advanceMillis(100);
        assertThat(world.stats())
                .extracting(Stats::waitingForLease, Stats::waitingForPermit)
                .containsExactly(10, 8);
        CompletableFuture<Void> done = close(world, Duration.ofHours(1));
        world.advanceMillis(5);
        assertThat(done).isCompleted();
        world.checkEnd();
        assertThat(world.leases.out).isEmpty();
    }

    @Test
    void aFillThatIsUnderWayEndsWithTheReservoir() {
        World world = World.of(30)
                .script(w -> w.connector.opening = n -> Fate.succeed(500_000_000L))
                .build();
        world.advanceMillis(10);
        CompletableFuture<Void> done = close(world, Duration.ofSeconds(10));
        world.advanceMillis(600);
        assertThat(done).isCompleted();
        assertThat(world.connector.arrived).isEqualTo(30);
        world.checkEnd();
    }

    @Test
    void temporaryConnectionsOnTheirWayAreClosedToo() {
        World world = World.of(1)
                .settings(s -> s.exhaustion(Exhaustion.OVERFLOW).overflowMax(4))
                .build()
                .filled(1);
        world.take();
        for (int i = 0; i < 4; i++) {
            world.acquire(Duration.ofMinutes(1));
        }
        world.advanceMillis(2);
        assertThat(world.counts().openingOverflow()).isEqualTo(4);
        world.closeAndCheck(Duration.ofSeconds(1));
    }

    @Test
    void theThreadOfItsOwnEndsWithIt() throws Exception {
        Reservoir<Object> reservoir = Reservoir.builder(new InstantConnector())
                .name("ends")
                .targets(Targets.of(3))
                .threadFactory(Thread::new)
                .build();
        assertThat(reservoir.awaitReady(3, Duration.ofMinutes(1))).isTrue();
        assertThat(threadsOf("ends")).isNotEmpty();
        reservoir.close();
        await().atMost(Duration.ofMinutes(1)).until(() -> threadsOf("ends").isEmpty());
        assertThatThrownBy(() -> reservoir.acquire(Duration.ofSeconds(5)))
                .isInstanceOf(NoConnectionException.class)
                .hasMessage("ends: the reservoir is closed.");
        reservoir.close();
    }

    private static List<Thread> threadsOf(String name) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("reservoir-" + name))
                .toList();
    }

    @Test
    void aReservoirThatCannotBeMadeLeavesNoThread() {
        ReservoirBuilder<Object> builder = Reservoir.builder(new InstantConnector())
                .name("unmade")
                .threadFactory(Thread::new)
                .rate(0, 1);
        assertThatThrownBy(builder::build).isInstanceOf(IllegalArgumentException.class);
        await().atMost(Duration.ofSeconds(10))
                .untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                        .extracting(Thread::getName)
                        .doesNotContain("reservoir-unmade-loop"));
    }
}
