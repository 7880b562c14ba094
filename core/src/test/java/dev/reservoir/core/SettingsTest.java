package dev.reservoir.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.core.kit.World;
import dev.reservoir.core.util.DurationText;
import dev.reservoir.core.util.Text;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A setting that is not allowed is refused with its key, its value and what is allowed. */
class SettingsTest {
    private static final Duration NEGATIVE = Duration.ofMillis(-1);
    private static final Duration AGES = Duration.ofDays(100_000);

    private static Arguments refused(String key, String value, Consumer<Settings.Builder> change) {
        return Arguments.of(key, value, change);
    }

    static Stream<Arguments> refusedSettings() {
        return Stream.of(
                refused("baseLifetime", "0s", s -> s.baseLifetime(Duration.ZERO)),
                refused("baseLifetime", DurationText.format(AGES), s -> s.baseLifetime(AGES)),
                refused("lifetimeJitter", "-1ms", s -> s.lifetimeJitter(NEGATIVE)),
                refused("lifetimeJitter", "12m0s", s -> s.lifetimeJitter(Duration.ofMinutes(12))),
                refused("guardWindow", "-1ms", s -> s.guardWindow(NEGATIVE)),
                refused("guardWindow", "10m0s", s -> s.guardWindow(Duration.ofMinutes(10))),
                refused("scanInterval", "0s", s -> s.scanInterval(Duration.ZERO)),
                refused("scanInterval", "2m0s", s -> s.scanInterval(Duration.ofMinutes(2))),
                refused("idleTimeout", "-1ms", s -> s.idleTimeout(NEGATIVE)),
                refused("keepalive", "-1ms", s -> s.keepalive(NEGATIVE)),
                refused("validationTimeout", "0s", s -> s.validationTimeout(Duration.ZERO)),
                refused("validationsInFlightMax", "0", s -> s.validationsInFlightMax(0)),
                refused("successorAllowance", "-2", s -> s.successorAllowance(-2)),
                refused("opensInFlightMax", "0", s -> s.opensInFlightMax(0)),
                refused("connectTimeout", "0s", s -> s.connectTimeout(Duration.ZERO)),
                refused("permitTimeout", "0s", s -> s.permitTimeout(Duration.ZERO)),
                refused("leaseTimeout", "0s", s -> s.leaseTimeout(Duration.ZERO)),
                refused("backoffBase", "0s", s -> s.backoff(Duration.ZERO, Duration.ofSeconds(1))),
                refused("backoffBase", "2s", s -> s.backoff(Duration.ofSeconds(2), Duration.ofSeconds(1))),
                refused("backoffMax", DurationText.format(AGES), s -> s.backoff(Duration.ofSeconds(1), AGES)),
                refused("closesInFlightMax", "0", s -> s.closesInFlightMax(0)),
                refused("closeTimeout", "0s", s -> s.closeTimeout(Duration.ZERO)),
                refused("leaseReleaseAttempts", "0", s -> s.leaseReleaseAttempts(0)),
                refused("leaseReleaseAttempts", "101", s -> s.leaseReleaseAttempts(101)),
                refused("overflowMax", "-1", s -> s.overflowMax(-1)),
                refused("waitersMax", "-1", s -> s.waitersMax(-1)),
                refused("overtakingWindow", "-1ms", s -> s.overtakingWindow(NEGATIVE)),
                refused("startDelayMax", "-1ms", s -> s.startDelayMax(NEGATIVE)),
                refused("lanes", "0", s -> s.lanes(0)));
    }

    @ParameterizedTest
    @MethodSource("refusedSettings")
    void aRefusalNamesKeyValueAndWhatIsAllowed(String key, String value, Consumer<Settings.Builder> change) {
        Settings.Builder builder = Settings.builder();
        change.accept(builder);
        assertThatThrownBy(builder::build).isInstanceOfSatisfying(SettingException.class, refused -> {
            assertThat(refused.key()).isEqualTo(key);
            assertThat(refused.value()).isEqualTo(value);
            assertThat(refused).hasMessage(key + " is " + value + "; allowed: " + refused.allowed());
        });
    }

    static Stream<Arguments> fixedSettings() {
        return Stream.of(
                refused("waitersMax", "7", s -> s.waitersMax(7)),
                refused("overtakingWindow", "7000000", s -> s.overtakingWindow(Duration.ofMillis(7))),
                refused("backoffBase", "7000000", s -> s.backoff(Duration.ofMillis(7), Duration.ofSeconds(5))),
                refused("backoffMax", "7000000000", s -> s.backoff(Duration.ofMillis(250), Duration.ofSeconds(7))),
                refused("startDelayMax", "7000000", s -> s.startDelayMax(Duration.ofMillis(7))),
                refused("tracksCheckouts", "true", s -> s.tracksCheckouts(true)),
                refused("lanes", "7777", s -> s.lanes(7_777)));
    }

    @ParameterizedTest
    @MethodSource("fixedSettings")
    void aSettingThatIsFixedCannotBeReplacedAndTheRefusalNamesItsKey(
            String key, String value, Consumer<Settings.Builder> change) {
        World world = World.of(1).settings(Settings.builder()).build();
        Settings.Builder builder = Settings.builder();
        change.accept(builder);
        assertThatThrownBy(() -> world.reservoir.setSettings(builder.build()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(key + " is " + value + "; allowed: ")
                .hasMessageEndingWith(", because it cannot be changed while the reservoir runs");
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void theGuardWindowMustLeaveSomethingOfTheShortestLifetime() {
        Settings.Builder builder =
                Settings.builder().baseLifetime(Duration.ofSeconds(10)).lifetimeJitter(Duration.ofSeconds(4));
        assertThatThrownBy(() -> builder.guardWindow(Duration.ofSeconds(8)).build())
                .hasMessage("guardWindow is 8s; allowed: less than baseLifetime (10s) minus half of lifetimeJitter"
                        + " (4s)");
        assertThatCode(() -> builder.guardWindow(Duration.ofMillis(7_999)).build())
                .doesNotThrowAnyException();
    }

    @Test
    void theDefaultsAreAllowed() {
        Settings settings = Settings.defaults();
        assertThat(settings.baseLifetimeNanos())
                .isEqualTo(Duration.ofMinutes(11).toNanos());
        assertThat(settings.exhaustion()).isEqualTo(Exhaustion.WAIT);
        assertThat(settings.overtakingWindowNanos()).isEqualTo(1_000_000L);
    }

    static Stream<Arguments> refusedTargets() {
        return Stream.of(
                Arguments.of("maxOpen is 0; allowed: 1 to 100000", new int[] {0, 0, 0, 0}),
                Arguments.of("maxOpen is 100001; allowed: 1 to 100000", new int[] {100_001, 0, 0, 0}),
                Arguments.of("targetReady is 6; allowed: 0 to 5", new int[] {5, 6, 0, 0}),
                Arguments.of("targetReady is -1; allowed: 0 to 5", new int[] {5, -1, 0, 0}),
                Arguments.of("lowWatermark is 4; allowed: 0 to 3", new int[] {5, 3, 4, 0}),
                Arguments.of("minOpen is 6; allowed: 0 to 5", new int[] {5, 3, 2, 6}),
                Arguments.of("lowWatermark is 1; allowed: 0", new int[] {5, 0, 1, 0}));
    }

    @ParameterizedTest
    @MethodSource("refusedTargets")
    void targetsAreCheckedAgainstEachOther(String message, int[] numbers) {
        assertThatThrownBy(() -> new Targets(numbers[0], numbers[1], numbers[2], numbers[3]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }

    @Test
    void targetsCanBeChangedOneAtATime() {
        assertThat(Targets.of(7)).isEqualTo(new Targets(7, 7, 7, 0));
        assertThat(new Targets(7, 3, 2, 1).withMaxOpen(9)).isEqualTo(new Targets(9, 3, 2, 1));
        assertThat(new Targets(7, 3, 2, 1).withTargetReady(5)).isEqualTo(new Targets(7, 5, 2, 1));
    }

    @Test
    void durationsReadAsPeopleSayThem() {
        assertThat(Stream.of(0L, 999L, 1_500L, 250_000_000L, 1_800_000_000L, 41_400_000_000L, 660_000_000_000L)
                        .map(Text::nanos))
                .containsExactly("0 us", "0 us", "1 us", "250 ms", "1.8 s", "41 s", "11 min");
        assertThat(Stream.of(100.0, 0.5, 33.333).map(Text::perSecond)).containsExactly("100/s", "0.50/s", "33.33/s");
    }
}
