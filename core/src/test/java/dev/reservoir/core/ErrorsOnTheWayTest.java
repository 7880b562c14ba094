package dev.reservoir.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.kit.BugLog;
import dev.reservoir.core.kit.Checkout;
import dev.reservoir.core.kit.Wire;
import dev.reservoir.core.kit.World;
import dev.reservoir.core.spi.Listener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * An {@link Error} on the way, such as memory or threads that run out, loses no connection: wherever it comes, afterwards every
 * connection that the server has open is in the books, the reservoir fills and serves again, and closes without a rest.
 */
class ErrorsOnTheWayTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    @AfterEach
    void forget() {
        BugLog.clear();
    }

    /** One life with everything in it that a connection can meet. */
    private static void live(World world) {
        List<Checkout> all = new ArrayList<>();
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
    private static void end(World world, List<Checkout> all, int odd) {
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).isServed()) {
                give(world, all.get(i).pooled(), i % 2 == odd);
            }
        }
        all.removeIf(Checkout::isDone);
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

    /** After a while everything is as it should be, whatever was. */
    private static void assertSound(World world, String what) {
        BugLog.clear();
        // Whatever wakes the engine; in a process something always does.
        world.call(world.reservoir::suspectOthers);
        pass(world, Duration.ofSeconds(60));
        world.advance(Duration.ofSeconds(1));
        Counts counts = world.counts();
        assertThat(world.connector.open).as("%s: %s", what, counts).hasSize(counts.size());
        assertThat(counts.ready() + counts.proving()).as("%s: %s", what, counts).isEqualTo(counts.size());
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
                    public boolean hearsLoans() {
                        return true;
                    }

                    @Override
                    public void lent(Pooled<Wire> connection) {
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
    void executorsThatRefuseDoNotKeepAFutureFromCompleting() {
        World world = World.of(1)
                .callbacks(task -> {
                    throw new TestError();
                })
                .build();
        Checkout checkout = world.acquire(MINUTE);
        world.advance(Duration.ofSeconds(1));
        assertThat(checkout.isServed()).isTrue();
        world.release(checkout.pooled());
        world.closeAndCheck(Duration.ZERO);
    }

    private static final class TestError extends Error {
        private static final long serialVersionUID = 1L;

        TestError() {
            super("scripted");
        }
    }
}
