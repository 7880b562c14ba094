package dev.reservoir.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.kit.BugLog;
import dev.reservoir.core.kit.Fate;
import dev.reservoir.core.kit.InstantConnector;
import dev.reservoir.core.kit.TestCheckout;
import dev.reservoir.core.kit.Wire;
import dev.reservoir.core.kit.World;
import dev.reservoir.core.spi.Listener;
import dev.reservoir.core.time.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * An {@link Error} on the way, such as memory or threads that run out, loses no connection: wherever it comes,
 * afterwards every connection that the server has open is in the books, the reservoir fills and serves again, and
 * closes without a rest.
 */
class ErrorsOnTheWayTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    @AfterEach
    void forget() {
        BugLog.clear();
    }

    /** One life with everything in it that a connection can meet. */
    private static void live(World world) {
        List<TestCheckout> all = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            all.add(world.acquire(MINUTE));
        }
        for (int i = 0; i < 3; i++) {
            pass(world, Duration.ofMillis(100));
            end(world, all, 0);
        }
        world.call(world.reservoir::suspectAll);
        pass(world, Duration.ofMillis(100));
        all.add(world.acquire(MINUTE));
        world.call(world.reservoir::suspectOthers);
        pass(world, Duration.ofSeconds(2));
        world.call(world.reservoir::flush);
        pass(world, Duration.ofSeconds(2));
        for (int i = 0; i < 3; i++) {
            pass(world, Duration.ofSeconds(5));
            end(world, all, 1);
        }
    }

    /** Without the checks of every step: what an error left half done need not be right before the next event. */
    private static void pass(World world, Duration by) {
        world.clock.advance(by.toNanos());
    }

    /** Releases or discards what has been served so far. */
    private static void end(World world, List<TestCheckout> all, int odd) {
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).isServed()) {
                give(world, all.get(i).pooled(), i % 2 == odd);
            }
        }
        all.removeIf(TestCheckout::isDone);
    }

    private static void give(World world, Pooled<Wire> pooled, boolean good) {
        try {
            world.call(() -> {
                if (good) {
                    world.reservoir.release(pooled);
                } else {
                    world.reservoir.discard(pooled, DiscardReason.BAD);
                }
            });
        } catch (TestError e) {
            // The caller hears of it. The connection must not be lost.
            assertThat(e).hasMessage("scripted");
        }
    }

    private static World.Builder worlds() {
        return World.of(4)
                .completesAtOnce()
                .leases(8)
                .settings(s -> s.validationInterval(Duration.ofSeconds(1))
                        .keepalive(Duration.ofSeconds(5))
                        .baseLifetime(Duration.ofSeconds(8))
                        .lifetimeJitter(Duration.ofSeconds(2))
                        .guardWindow(Duration.ofSeconds(1)));
    }

    @Test
    void whereverATimerOrATaskCannotBeHadNothingIsLost() {
        int calls = 0;
        for (int failing = 1; failing == 1 || calls >= failing; failing++) {
            int[] count = {0};
            int at = failing;
            World world = worlds().build();
            world.time.beforeEach = () -> {
                if (++count[0] == at) {
                    throw new TestError();
                }
            };
            live(world);
            calls = Math.max(calls, count[0]);
            world.time.beforeEach = () -> {};
            assertSound(world, "call " + at + " of the clock fails");
        }
        assertThat(calls).isGreaterThan(100);
    }

    @Test
    void ifForAWhileNoTimerAndNoTaskCanBeHadNothingIsLost() {
        for (int from = 1; from < 120; from += 7) {
            int[] count = {0};
            int first = from;
            World world = worlds().build();
            world.time.beforeEach = () -> {
                count[0]++;
                if (count[0] >= first && count[0] < first + 10) {
                    throw new TestError();
                }
            };
            live(world);
            world.time.beforeEach = () -> {};
            assertSound(world, "calls " + first + " to " + (first + 9) + " of the clock fail");
        }
    }

    /** The timer that ends a validation is set only when the answer is late, and then there may be none. */
    @Test
    void whereverATimerOrATaskCannotBeHadAValidationThatHangsEnds() {
        int calls = 0;
        for (int failing = 1; failing == 1 || calls >= failing; failing++) {
            int[] count = {0};
            int at = failing;
            World world = World.of(3)
                    .completesAtOnce()
                    .settings(s -> s.validationInterval(Duration.ofSeconds(1)))
                    .build()
                    .filled(3);
            world.connector.validating = wire -> Fate.hang();
            world.connector.opening = n -> Fate.hang();
            world.time.beforeEach = () -> {
                if (++count[0] == at) {
                    throw new TestError();
                }
            };
            pass(world, Duration.ofSeconds(12));
            calls = Math.max(calls, count[0]);
            assertThat(world.checker.discards)
                    .as("call " + at + " of the clock fails")
                    .containsEntry(DiscardReason.VALIDATION_FAILED, 3);
            BugLog.clear();
        }
        assertThat(calls).isGreaterThan(20);
    }

    /**
     * The places besides timers and tasks at which foreign code is called, or an error can come out of the engine's own
     * calls.
     */
    private enum Place {
        LOOK_AT_CLOCK,
        LEASE_ACQUIRE,
        LEASE_RELEASE,
        PERMIT_ACQUIRE,
        PERMIT_END,
        OPEN,
        VALIDATE,
        FIND_UNRESPONSIVE,
        CLOSE,
        CALLBACK,
        OPENED,
        IN_USE,
        RETURNED,
        DISCARDED,
        CLOSED,
        OPEN_FAILED,
        EMPTY,
        WAIT_BEGAN,
        WAIT_ENDED
    }

    /** Counts how often a place is passed, and throws there once. */
    private static final class Injection {
        private final Place place;
        private final int at;
        private boolean armed = true;
        private int passed;

        Injection(Place place, int at) {
            this.place = place;
            this.at = at;
        }

        void pass(Place here) {
            if (armed && here == place && ++passed == at) {
                throw new TestError();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Place.class)
    void whereverAnErrorComesNothingIsLost(Place place) {
        int passed = 0;
        // Every time at first; later, for places that are passed thousands of times, now and then.
        for (int at = 1; at == 1 || passed >= at; at += at < 600 ? 1 : 37) {
            Injection injection = new Injection(place, at);
            World world = injected(injection);
            liveThrough(world);
            passed = injection.passed;
            injection.armed = false;
            assertSound(world, "error " + at + " at " + place);
        }
        assertThat(passed).as("how often the place is passed").isPositive();
    }

    private static World injected(Injection injection) {
        return worlds().listener(new InjectedListener(injection))
                .callbacks(task -> {
                    injection.pass(Place.CALLBACK);
                    task.run();
                })
                .script(world -> {
                    world.checker.releasesBreakOff = true;
                    world.time.beforeLook = () -> injection.pass(Place.LOOK_AT_CLOCK);
                    world.leases.acquiring = n -> succeed(injection, Place.LEASE_ACQUIRE);
                    world.leases.releasing = n -> succeed(injection, Place.LEASE_RELEASE);
                    world.permits.instead = () -> {
                        injection.pass(Place.PERMIT_ACQUIRE);
                        return null;
                    };
                    world.permits.atEnd = () -> injection.pass(Place.PERMIT_END);
                    world.connector.opening = n -> n % 7 == 0
                            ? Fate.fail(OpenFailureReason.CONNECT, 1_000_000L)
                            : succeed(injection, Place.OPEN);
                    world.connector.validating = wire -> succeed(injection, Place.VALIDATE);
                    world.connector.closing = wire -> succeed(injection, Place.CLOSE);
                    world.connector.beforeAsking = () -> injection.pass(Place.FIND_UNRESPONSIVE);
                })
                .build();
    }

    private static Fate succeed(Injection injection, Place place) {
        injection.pass(place);
        return Fate.succeed(1_000_000L);
    }

    /**
     * One life, with waits so long that the server is asked after those in use. Callers hear of errors on their own
     * paths.
     */
    private static void liveThrough(World world) {
        Reservoir<Wire> reservoir = world.reservoir;
        List<CompletableFuture<Pooled<Wire>>> all = new ArrayList<>();
        begin(reservoir, all, 6);
        passThrough(world, Duration.ofSeconds(4));
        end(reservoir, all);
        passThrough(world, Duration.ofMillis(100));
        end(reservoir, all);
        caught(reservoir::suspectAll);
        passThrough(world, Duration.ofMillis(100));
        begin(reservoir, all, 1);
        caught(reservoir::suspectOthers);
        passThrough(world, Duration.ofSeconds(2));
        end(reservoir, all);
        caught(reservoir::flush);
        for (int i = 0; i < 3; i++) {
            begin(reservoir, all, 2);
            passThrough(world, Duration.ofSeconds(5));
            end(reservoir, all);
        }
        all.forEach(future -> caught(() -> future.cancel(false)));
        end(reservoir, all);
    }

    /** As {@link #pass}; a timer that throws, as it may on the engine's own thread, stops no other. */
    private static void passThrough(World world, Duration by) {
        long until = world.clock.nanos() + by.toNanos();
        while (world.clock.nanos() < until) {
            caught(() -> world.clock.advanceTo(until));
        }
    }

    private static void begin(Reservoir<Wire> reservoir, List<CompletableFuture<Pooled<Wire>>> all, int count) {
        for (int i = 0; i < count; i++) {
            caught(() -> all.add(reservoir.acquireAsync(MINUTE.toNanos())));
        }
    }

    /** Releases every other one that has been served, and discards the rest. */
    private static void end(Reservoir<Wire> reservoir, List<CompletableFuture<Pooled<Wire>>> all) {
        boolean good = true;
        for (CompletableFuture<Pooled<Wire>> future : all) {
            if (future.isDone() && !future.isCompletedExceptionally()) {
                Pooled<Wire> pooled = future.join();
                boolean isReleased = good;
                caught(() -> {
                    if (isReleased) {
                        reservoir.release(pooled);
                    } else {
                        reservoir.discard(pooled, DiscardReason.BAD);
                    }
                });
                good = !good;
            }
        }
        all.removeIf(CompletableFuture::isDone);
    }

    private static void caught(Runnable call) {
        try {
            call.run();
        } catch (TestError e) {
            assertThat(e).hasMessage("scripted");
        }
    }

    /** Passes the places of a listener. */
    private static final class InjectedListener implements Listener<Wire> {
        private final Injection injection;

        InjectedListener(Injection injection) {
            this.injection = injection;
        }

        @Override
        public boolean wantsCheckouts() {
            return true;
        }

        @Override
        public boolean neverBlocks() {
            return true;
        }

        @Override
        public void opened(Pooled<Wire> connection, long openNanos) {
            injection.pass(Place.OPENED);
        }

        @Override
        public void acquired(Pooled<Wire> connection) {
            injection.pass(Place.IN_USE);
        }

        @Override
        public void released(Pooled<Wire> connection) {
            injection.pass(Place.RETURNED);
        }

        @Override
        public void discarded(Pooled<Wire> connection, DiscardReason reason, long remainingNanos) {
            injection.pass(Place.DISCARDED);
        }

        @Override
        public void closed(Pooled<Wire> connection, boolean leaseReleased) {
            injection.pass(Place.CLOSED);
        }

        @Override
        public void openFailed(OpenFailureReason reason, Throwable cause, int failuresInARow) {
            injection.pass(Place.OPEN_FAILED);
        }

        @Override
        public void empty() {
            injection.pass(Place.EMPTY);
        }

        @Override
        public void waitBegan() {
            injection.pass(Place.WAIT_BEGAN);
        }

        @Override
        public void waitEnded(long waitedNanos, boolean served) {
            injection.pass(Place.WAIT_ENDED);
        }
    }

    /** After a while everything is as it should be, whatever was. */
    private static void assertSound(World world, String what) {
        BugLog.clear();
        // Whatever wakes the engine; in a process something always does.
        world.call(world.reservoir::suspectOthers);
        pass(world, Duration.ofSeconds(60));
        world.advance(Duration.ofSeconds(1));
        Counts counts = world.counts();
        assertThat(world.connector.open).as("%s: %s", what, counts).hasSize(counts.size());
        assertThat(counts.ready() + counts.validating())
                .as("%s: %s", what, counts)
                .isEqualTo(counts.size());
        assertThat(counts.size()).as("%s: %s", what, counts).isBetween(4, 5);
        assertThat(world.leases.out)
                .as("%s: %s", what, counts)
                .hasSizeBetween(counts.size(), counts.size() + counts.opening() + counts.closing());
        assertThat(counts.opening() + counts.closing())
                .as("%s: %s", what, counts)
                .isLessThanOrEqualTo(2);
        BugLog.clear();
    }

    @Test
    void anErrorWhileACheckoutIsToldToListenersGivesTheConnectionBack() {
        World world = World.of(2)
                .completesAtOnce()
                .listener(new Listener<Wire>() {
                    @Override
                    public boolean wantsCheckouts() {
                        return true;
                    }

                    @Override
                    public void acquired(Pooled<Wire> connection) {
                        throw new TestError();
                    }
                })
                .build()
                .filled(2);
        world.release(world.take());
        assertThat(world.counts().ready()).isEqualTo(2);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void anEventLoopThatCouldNotBeStartedOnceGoesOn() {
        World world = World.of(3).completesAtOnce().build().filled(3);
        boolean[] fails = {true};
        world.time.beforeEach = () -> {
            if (fails[0]) {
                throw new TestError();
            }
        };
        world.discard(world.take(), DiscardReason.BAD);
        fails[0] = false;
        world.advance(Duration.ofSeconds(5));
        assertThat(world.counts().ready()).isEqualTo(3);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void anAlarmThatFindsNoTaskToHaveWakesAReservoirThatNobodyUsesAllTheSame() {
        World world = World.of(3)
                .completesAtOnce()
                .settings(s -> s.validationInterval(Duration.ofSeconds(1)))
                .build()
                .filled(3);
        boolean[] failed = {false};
        world.time.beforeEach = () -> {
            if (!failed[0]) {
                failed[0] = true;
                throw new TestError();
            }
        };
        world.advance(Duration.ofSeconds(10));
        assertThat(failed[0]).isTrue();
        assertThat(world.connector.validationsBegun)
                .as("validations, one a second")
                .isGreaterThan(5);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void anErrorBetweenTheTakingAndTheHandingOutGivesTheConnectionBack() throws InterruptedException {
        World world = World.of(1).completesAtOnce().build().filled(1);
        boolean[] thrown = {false};
        Thread caller = new ThreadWithoutId(() -> {
            try {
                world.reservoir.tryAcquire();
            } catch (TestError e) {
                thrown[0] = true;
            }
        });
        caller.start();
        caller.join();
        assertThat(thrown[0]).isTrue();
        assertThat(world.counts()).extracting(Counts::ready, Counts::inUse).containsExactly(1, 0);
        assertThat(world.reservoir.checkouts(Duration.ZERO)).isEmpty();
        world.release(world.take());
        world.closeAndCheck(Duration.ZERO);
    }

    /** The reservoir asks for its id after it has taken a connection. */
    private static final class ThreadWithoutId extends Thread {
        ThreadWithoutId(Runnable task) {
            super(task);
        }

        @Override
        public long getId() {
            throw new TestError();
        }
    }

    @Test
    void aTemporaryConnectionThatAnErrorLeftToNobodyIsFoundAndClosed() {
        World world = World.of(1)
                .completesAtOnce()
                .leases(4)
                .settings(s -> s.exhaustion(Exhaustion.OVERFLOW).overflowMax(1))
                .build()
                .filled(1);
        Pooled<Wire> held = world.take();
        TestCheckout beyond = world.acquire(MINUTE);
        world.advanceMillis(10);
        assertThat(beyond.pooled().isOverflow()).isTrue();
        world.release(beyond.pooled());
        boolean[] failed = {false};
        world.time.beforeLook = () -> {
            if (!failed[0]) {
                failed[0] = true;
                throw new TestError();
            }
        };
        pass(world, Duration.ZERO);
        BugLog.clear();
        assertThat(world.counts().overflow())
                .as("the event loop did not get to close it")
                .isEqualTo(1);
        pass(world, MINUTE);
        assertThat(world.counts().overflow()).isZero();
        assertThat(beyond.pooled().connection().closedFor).isEqualTo(DiscardReason.LOST);
        assertThat(world.leases.out).hasSize(1);
        world.release(held);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void executorsThatRefuseDoNotKeepAFutureFromCompleting() {
        VirtualTime time = new VirtualTime();
        Reservoir<Object> reservoir = Reservoir.builder(new InstantConnector())
                .targets(Targets.of(1))
                .time(time)
                .callbacks(task -> {
                    throw new TestError();
                })
                .build();
        CompletableFuture<Pooled<Object>> checkout = reservoir.acquireAsync(MINUTE.toNanos());
        time.advance(Duration.ofSeconds(10).toNanos());
        assertThat(checkout).isCompleted();
        reservoir.release(checkout.join());
        CompletableFuture<Void> ended = reservoir.closeAsync(Duration.ZERO);
        time.advance(Duration.ofSeconds(10).toNanos());
        assertThat(ended).isCompleted();
    }

    private static final class TestError extends Error {
        private static final long serialVersionUID = 1L;

        TestError() {
            super("scripted");
        }
    }
}
