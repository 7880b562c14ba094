package dev.reservoir.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.kit.Fate;
import dev.reservoir.core.kit.ScriptedConnector;
import dev.reservoir.core.kit.TestCheckout;
import dev.reservoir.core.kit.Violations;
import dev.reservoir.core.kit.Wire;
import dev.reservoir.core.kit.World;
import dev.reservoir.core.spi.Leases;
import dev.reservoir.core.time.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a reservoir and the source of its leases tell each other, from the start to the end, and in the middle of calls.
 */
class LeaseHolderTest {

    @Test
    void aReservoirThatClosesForgetsWhatItOwes() {
        World world = Promise05RecalledLeasesTest.full(4);
        List<Pooled<Wire>> inUse = world.take(4);
        assertThat(world.recall(3)).isEqualTo(3);
        world.settle();
        CompletableFuture<Void> done = new CompletableFuture<>();
        world.call(() -> {
            var unused = world.reservoir.closeAsync(Duration.ofHours(1)).thenAccept(done::complete);
        });
        world.settle();
        assertThat(world.recall(1)).isZero();
        inUse.forEach(world::release);
        world.advanceMillis(5);
        assertThat(done).isCompleted();
        assertThat(world.checker.discards).containsOnlyKeys(DiscardReason.SHUTDOWN);
        assertThat(world.leases.out).isEmpty();
        assertThat(world.recall(1)).isZero();
        world.checkEnd();
    }

    @Test
    void aRecallJustBeforeTheEndIsPartOfIt() {
        World world = Promise05RecalledLeasesTest.full(4);
        Pooled<Wire> inUse = world.take();
        assertThat(world.recall(4)).isEqualTo(4);
        world.closeAndCheck(Duration.ofMillis(10));
        assertThat(inUse.connection().closedFor).isEqualTo(DiscardReason.SHUTDOWN);
        world.release(inUse);
        world.settle();
        assertThat(world.leases.out).isEmpty();
        assertThat(world.leases.releaseCalls).isEqualTo(4);
    }

    @Test
    void theSourceHearsOfTheReservoirBeforeItsFirstLeaseAndAfterItsLast() {
        World world = World.of(2).leases(2).build();
        assertThat(world.leases.attached).isZero();
        world.leases.meanwhile = () -> assertThat(world.leases.attached).isEqualTo(1);
        world.filled(2);
        world.leases.meanwhile = () -> world.violations.require(world.leases.detached == 0, 9, "too early");
        world.closeAndCheck(Duration.ZERO);
        assertThat(world.leases.out).isEmpty();
        assertThat(world.leases.detached).isEqualTo(1);
        // To close again, or to give back late, is no second end.
        world.closeAndCheck(Duration.ZERO);
        assertThat(world.leases.detached).isEqualTo(1);
    }

    /**
     * A source may notice that it has too many out while it is asked, while it is given one back, or while it answers.
     */
    @ParameterizedTest
    @ValueSource(longs = {0, 1_000_000L})
    void leasesAreCalledBackInTheMiddleOfTheSourcesOwnCalls(long answerNanos) {
        World world = World.of(6)
                .leases(6)
                .script(w -> {
                    w.leases.acquiring = n -> Fate.succeed(answerNanos);
                    w.leases.releasing = n -> Fate.succeed(answerNanos);
                    w.leases.meanwhile = () -> {
                        if (w.leases.recalled < 20) {
                            w.leases.recall(1);
                        }
                    };
                })
                .build();
        world.filled(6);
        assertThat(world.leases.recalled).isEqualTo(20);
        assertThat(world.leases.owed).isZero();
        assertThat(world.leases.out).hasSize(6);
        Promise05RecalledLeasesTest.assertEndsExactly(world);
    }

    @Test
    void afterARecallThePauseIsThatAfterARefusal() {
        World world = World.of(4)
                .leases(4)
                .settings(s -> s.backoff(Duration.ofSeconds(2), Duration.ofSeconds(60)))
                .build()
                .filled(4);
        assertThat(world.recall(3)).isEqualTo(3);
        world.settle();
        world.take();
        TestCheckout none = world.acquire(Duration.ofMillis(500));
        world.advanceMillis(900);
        assertThat(world.leases.asked).isEqualTo(4);
        assertThat(none.refusal())
                .hasMessageContaining(
                        "Limit reached: cluster leases 1 of 4; no lease was given: leases were recalled, next try in ")
                .hasRootCauseMessage("leases were recalled");
        world.advanceMillis(1_200);
        assertThat(world.counts().size()).isEqualTo(4);
        assertThat(world.checker.failures).isEmpty();
        Promise05RecalledLeasesTest.assertEndsExactly(world);
    }

    @Test
    void aSourceThatCallsBackWhateverItGrantsIsNotAskedAgainWithoutAPause() {
        World world = World.of(10)
                .leases(10)
                .script(w -> w.leases.meanwhile = () -> w.leases.recall(1))
                .build();
        world.advance(Duration.ofSeconds(30));
        int asked = world.leases.asked;
        world.advance(Duration.ofSeconds(60));
        // The shortest pause is half of the first, which is 250 ms.
        assertThat(world.leases.asked - asked).isBetween(1, 480);
        world.leases.meanwhile = () -> {};
        world.filled(10);
        Promise05RecalledLeasesTest.assertEndsExactly(world);
    }

    @Test
    void aSourceThatThrowsWhenItIsToldOfAHolderHarmsNobody() {
        Unfriendly source = new Unfriendly();
        var time = new VirtualTime();
        var connector = new ScriptedConnector(time, new Violations());
        Reservoir<Wire> reservoir = Reservoir.builder(connector)
                .targets(Targets.of(3))
                .settings(Settings.builder().validationInterval(Duration.ZERO).build())
                .leases(source)
                .time(time)
                .callbacks(Runnable::run)
                .build();
        time.advance(Duration.ofSeconds(1).toNanos());
        assertThat(reservoir.counts().ready()).isEqualTo(3);
        CompletableFuture<Void> done = reservoir.closeAsync(Duration.ZERO);
        time.advance(Duration.ofSeconds(1).toNanos());
        assertThat(done).isCompleted();
        assertThat(source.out).isZero();
    }

    /** A source that does not want to know its holders. */
    private static final class Unfriendly implements Leases {
        private int out;

        @Override
        public CompletionStage<Lease> acquire() {
            out++;
            return CompletableFuture.completedFuture(() -> "one");
        }

        @Override
        public CompletionStage<Void> release(Lease lease) {
            out--;
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public String describe() {
            return "none";
        }

        @Override
        public void attach(Holder holder) {
            throw new IllegalStateException("scripted");
        }

        @Override
        public void detach(Holder holder) {
            throw new IllegalStateException("scripted");
        }
    }
}
