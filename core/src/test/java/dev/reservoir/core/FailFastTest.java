package dev.reservoir.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.core.NoConnectionException.Why;
import dev.reservoir.core.kit.Fate;
import dev.reservoir.core.kit.TestCheckout;
import dev.reservoir.core.kit.Wire;
import dev.reservoir.core.kit.World;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Wrong settings are told at once, after one connect; a database that is merely away is waited for. */
class FailFastTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private static World world(Fate fate) {
        return World.of(10)
                .completesAtOnce()
                .settings(s -> s.failsFast(true))
                .script(w -> w.connector.opening = n -> fate)
                .build();
    }

    private static void assertMisconfigured(CompletableFuture<?> future) {
        assertThat(future).isCompletedExceptionally();
        assertThatThrownBy(future::join)
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        NoConnectionException.class, e -> assertThat(e.why()).isEqualTo(Why.MISCONFIGURED));
    }

    @ParameterizedTest
    @EnumSource(names = {"AUTHENTICATION", "UNKNOWN_HOST", "UNKNOWN_DATABASE"})
    void wrongSettingsEndEveryWaitAfterOneConnect(OpenFailureReason reason) {
        World world = world(Fate.fail(reason, 5_000_000L));
        List<TestCheckout> waiting =
                Stream.generate(() -> world.acquire(MINUTE)).limit(20).toList();
        CompletableFuture<Void> filled = world.reservoir.whenReady(10);
        world.advanceMillis(5);
        waiting.forEach(checkout -> assertMisconfigured(checkout.future));
        assertMisconfigured(filled);
        assertThat(world.connector.opensBegun).isEqualTo(1);
        for (int i = 0; i < 100; i++) {
            assertMisconfigured(world.acquire(MINUTE).future);
            assertMisconfigured(settled(world, world.reservoir.whenReady(1)));
            world.advanceMillis(1);
        }
        assertThat(world.connector.opensBegun)
                .as("those who come later make no further connect")
                .isEqualTo(1);
        world.advanceMillis(890);
        assertThat(world.connector.opensBegun)
                .as("the application has time to close before the next login")
                .isEqualTo(1);
        world.advance(MINUTE);
        assertThat(world.connector.opensBegun).as("logins in a minute").isBetween(2, 24);
        world.closeAndCheck(Duration.ZERO);
    }

    private static CompletableFuture<Void> settled(World world, CompletableFuture<Void> future) {
        world.settle();
        return future;
    }

    @Test
    void whenTheSettingsAreRightAfterAllItServes() {
        World world = world(Fate.fail(OpenFailureReason.AUTHENTICATION, 0));
        world.advance(MINUTE);
        world.connector.opening = n -> Fate.succeed(1_000_000L);
        world.filled(10);
        List<Pooled<Wire>> held = world.take(10);
        TestCheckout waiting = world.acquire(MINUTE);
        world.settle();
        assertThat(waiting.isDone()).as("whoever finds none ready waits now").isFalse();
        held.forEach(world::release);
        world.settle();
        world.release(waiting.pooled());
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void aDatabaseThatIsAwayIsWaitedFor() {
        World world = world(Fate.fail(OpenFailureReason.CONNECT, 1_000_000L));
        TestCheckout checkout = world.acquire(MINUTE);
        world.advance(Duration.ofSeconds(30));
        assertThat(checkout.isDone()).isFalse();
        world.connector.opening = n -> Fate.succeed(1_000_000L);
        world.advance(Duration.ofSeconds(1));
        assertThat(checkout.isServed()).isTrue();
        world.release(checkout.pooled());
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void aLoginThatIsRefusedLaterIsWaitedForUntilTheDeadline() {
        World world = world(Fate.succeed(1_000_000L)).filled(10);
        world.connector.opening = n -> Fate.fail(OpenFailureReason.AUTHENTICATION, 1_000_000L);
        world.take(10).forEach(pooled -> world.discard(pooled, DiscardReason.BAD));
        TestCheckout checkout = world.acquire(Duration.ofSeconds(20));
        world.advance(Duration.ofSeconds(10));
        assertThat(checkout.isDone()).isFalse();
        world.connector.opening = n -> Fate.succeed(1_000_000L);
        world.advance(Duration.ofSeconds(6));
        assertThat(checkout.isServed()).isTrue();
        world.release(checkout.pooled());
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void onlyTheFirstConnectIsAlone() {
        World world = world(Fate.succeed(5_000_000L));
        world.advanceMillis(1);
        assertThat(world.connector.opensInFlight).isEqualTo(1);
        world.advanceMillis(5);
        assertThat(world.connector.opensInFlight).isEqualTo(9);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void aFirstConnectThatHangsDoesNotStopTheOthers() {
        World world = World.of(4)
                .settings(s -> s.failsFast(true).connectTimeout(Duration.ofSeconds(30)))
                .script(w -> w.connector.opening = n -> n == 1 ? Fate.hang() : Fate.succeed(1_000_000L))
                .build();
        world.advance(Duration.ofSeconds(3));
        assertThat(world.counts().ready()).isEqualTo(3);
        world.closeAndCheck(Duration.ZERO);
    }
}
