package dev.reservoir.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.kit.Fate;
import dev.reservoir.core.kit.Fate.Kind;
import dev.reservoir.core.kit.ScriptedConnector;
import dev.reservoir.core.kit.TestCheckout;
import dev.reservoir.core.kit.Wire;
import dev.reservoir.core.kit.World;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Promise 7: a connect that hangs stops no other; failures back off and recover by themselves. */
class Promise07FailuresTest {

    @Test
    void aConnectThatHangsCostsOnePlaceUntilItsDeadline() {
        World world = World.of(10)
                .settings(s -> s.connectTimeout(Duration.ofSeconds(10)))
                .script(w -> w.connector.opening = n -> n == 3 ? Fate.hang() : Fate.succeed(5_000_000L))
                .build();
        world.advanceMillis(10);
        assertThat(world.counts().ready()).isEqualTo(9);
        assertThat(world.counts().opening()).isEqualTo(1);
        world.advance(Duration.ofSeconds(11));
        assertThat(world.counts().ready()).isEqualTo(10);
        assertThat(world.checker.failures).containsOnlyKeys(OpenFailureReason.CONNECT_TIMEOUT);
        world.connector.releaseHung();
        world.advanceMillis(10);
        assertThat(world.stats().discards()).containsEntry(DiscardReason.LATE, 1L);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void whileEveryConnectHangsReadyConnectionsAreServed() {
        World world = World.of(4).completesAtOnce().build().filled(4);
        world.connector.opening = n -> Fate.hang();
        world.discard(world.take(), DiscardReason.BAD);
        world.advance(Duration.ofSeconds(30));
        List<Pooled<Wire>> held = world.take(3);
        TestCheckout checkout = world.acquire(Duration.ofSeconds(5));
        world.release(held.get(0));
        world.settle();
        assertThat(checkout.isServed()).isTrue();
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void aBurstOfFailuresCountsAsOne() {
        World world = World.of(50)
                .script(w -> w.connector.opening = n -> Fate.fail(OpenFailureReason.CONNECT, 1_000_000L))
                .build();
        world.advanceMillis(100);
        assertThat(world.connector.opensBegun).isEqualTo(50);
        // The first pause is between 125 and 250 ms; the second try is a single one.
        world.advanceMillis(170);
        assertThat(world.connector.opensBegun).isEqualTo(51);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void pausesGrowToTheirMaximumWithJitterOverTheUpperHalf() {
        List<Long> tries = new ArrayList<>();
        World world = World.of(1)
                .settings(s -> s.backoff(Duration.ofMillis(100), Duration.ofSeconds(2)))
                .script(w -> w.connector.opening = n -> {
                    tries.add(w.clock.nanos());
                    return Fate.fail(OpenFailureReason.CONNECT, 0);
                })
                .build();
        world.advance(Duration.ofSeconds(60));
        for (int i = 1; i < tries.size(); i++) {
            long pause = tries.get(i) - tries.get(i - 1);
            long full = Math.min(2_000_000_000L, 100_000_000L << Math.min(20, i - 1));
            assertThat(pause).as("pause %d", i).isBetween(full / 2, full + 1_000_000L);
        }
        assertThat(tries.size()).isBetween(30, 70);
        world.closeAndCheck(Duration.ZERO);
    }

    @ParameterizedTest
    @EnumSource(OpenFailureReason.class)
    void whateverTheReasonItRecoversByItself(OpenFailureReason reason) {
        boolean[] well = {false};
        World world = World.of(20)
                .leases(40)
                .script(w ->
                        w.connector.opening = n -> well[0] ? Fate.succeed(1_000_000L) : Fate.fail(reason, 2_000_000L))
                .build();
        world.advance(Duration.ofMinutes(2));
        OpenFailureReason told = switch (reason) {
            case RATE_LIMIT -> OpenFailureReason.SERVER_RATE;
            case LEASE_ACQUIRE -> OpenFailureReason.SERVER_FULL;
            default -> reason;
        };
        assertThat(world.checker.failures).containsOnlyKeys(told);
        assertThat(world.stats().openFailures()).containsOnlyKeys(told);
        assertThat(world.stats().connectsFail()).isTrue();
        int tries = world.connector.opensBegun;
        assertThat(tries).isBetween(40, 80);
        well[0] = true;
        world.advance(Duration.ofSeconds(6));
        assertThat(world.counts().ready()).isEqualTo(20);
        assertThat(world.stats().connectsFail()).isFalse();
        world.closeAndCheck(Duration.ZERO);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void howeverAConnectFailsTheNextIsTried(Kind kind) {
        World world = World.of(3)
                .settings(s -> s.connectTimeout(Duration.ofSeconds(1)))
                .script(w -> w.connector.opening =
                        n -> n <= 3 ? new Fate(kind, 1_000_000L, OpenFailureReason.CONNECT) : Fate.succeed(1_000_000L))
                .build();
        world.filled(3);
        assertThat(world.clock.nanos()).isLessThan(Duration.ofSeconds(3).toNanos());
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void aProbeThatHangsDoesNotStopTheNext() {
        World world = World.of(10)
                .settings(s -> s.connectTimeout(Duration.ofSeconds(30)))
                .script(w -> w.connector.opening =
                        n -> n <= 13 ? Fate.hang() : Fate.succeed(ScriptedConnector.HANDSHAKE_NANOS))
                .build();
        world.advance(Duration.ofSeconds(30));
        assertThat(world.connector.opensBegun).as("all hang").isEqualTo(10);

        // Three probes hang, each for its half minute; the fourth comes after three seconds and gets through.
        world.advance(Duration.ofSeconds(6));

        assertThat(world.counts().ready()).isEqualTo(10 - 3);
        world.advance(Duration.ofSeconds(30));
        assertThat(world.counts().ready()).isEqualTo(10);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void whileTheServerRefusesOnlyOneConnectAtATimeIsTried() {
        World world = World.of(30).build().filled(30);
        world.connector.opening = n -> Fate.fail(OpenFailureReason.SERVER_FULL, 20_000_000L);
        world.connector.opensInFlightMost = 0;
        world.take(30).forEach(pooled -> world.discard(pooled, DiscardReason.BAD));
        // Their places are free once they are closed.
        world.advanceMillis(1);
        assertThat(world.connector.opensInFlight).as("half of them, and a few").isBetween(15, 19);
        world.advanceMillis(30);
        world.connector.opensInFlightMost = 0;
        world.advance(Duration.ofSeconds(20));
        assertThat(world.connector.opensInFlightMost).isEqualTo(1);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void aServerThatIsFullIsNoReasonToThrowConnectionsAway() {
        World world = World.of(10).build().filled(10);
        world.connector.opening = n -> Fate.fail(OpenFailureReason.SERVER_FULL, 1_000_000L);
        world.discard(world.take(), DiscardReason.BAD);
        world.advance(Duration.ofSeconds(30));
        assertThat(world.counts().ready()).isEqualTo(9);
        assertThat(world.connector.validationsBegun).isZero();
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void aRefusedConnectPutsTheOthersUnderSuspicion() {
        World world = World.of(10).build().filled(10);
        world.connector.opening = n -> Fate.fail(OpenFailureReason.CONNECT, 1_000_000L);
        world.discard(world.take(), DiscardReason.BAD);
        world.connector.breakAll();
        world.advance(Duration.ofSeconds(2));
        assertThat(world.counts().size()).isZero();
        assertThat(world.checker.discards.get(DiscardReason.VALIDATION_FAILED)).isEqualTo(9);
        world.closeAndCheck(Duration.ZERO);
    }
}
