package dev.reservoir.jdbc.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.core.Exhaustion;
import dev.reservoir.core.RefillPacing;
import dev.reservoir.core.SettingException;
import dev.reservoir.core.Settings;
import dev.reservoir.core.Targets;
import dev.reservoir.jdbc.FakeDatabase;
import dev.reservoir.testkit.LogLines;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Defaults, values that are replaced with a warning, and values that are rejected. */
class ConfigTest {
    private final Config config = new Config();

    ConfigTest() {
        config.set(DataSourceSettings.URL, "jdbc:fake:none");
    }

    @Test
    void withoutSettingsTheDefaultsHold() {
        config.check();

        assertThat(config.targets(Runnable::run)).isEqualTo(new Targets(10, 10, 10, 0));
        assertThat(config.settings(Runnable::run))
                .isEqualTo(Settings.builder().failsFast(true).build());
        assertThat(config.get(DataSourceSettings.ACQUIRE_TIMEOUT)).isEqualTo(Duration.ofSeconds(30));
        assertThat(config.get(DataSourceSettings.INITIAL_FILL_TIMEOUT)).isEqualTo(Duration.ofSeconds(30));
        assertThat(config.get(DataSourceSettings.CONNECTION_RATE_LIMIT)).isInfinite();
        assertThat(config.get(DataSourceSettings.EXHAUSTION)).isEqualTo(Exhaustion.WAIT);
    }

    @Test
    void whatTheEngineGoesByReachesIt() {
        config.set(DataSourceSettings.BASE_LIFETIME, Duration.ofMinutes(20));
        config.set(DataSourceSettings.LIFETIME_JITTER, Duration.ofMinutes(3));
        config.set(DataSourceSettings.GUARD_WINDOW, Duration.ofSeconds(40));
        config.set(DataSourceSettings.CONNECT_TIMEOUT, Duration.ofSeconds(7));
        config.set(DataSourceSettings.IDLE_TIMEOUT, Duration.ofMinutes(6));
        config.set(DataSourceSettings.KEEPALIVE, Duration.ofMinutes(2));
        config.set(DataSourceSettings.VALIDATION_TIMEOUT, Duration.ofSeconds(4));
        config.set(DataSourceSettings.EXHAUSTION, Exhaustion.OVERFLOW);
        config.set(DataSourceSettings.FAIL_FAST, false);
        config.set(DataSourceSettings.REFILL_PACING, RefillPacing.OFF);
        config.set(DataSourceSettings.OVERFLOW_MAX, 3);
        config.set(DataSourceSettings.WAITERS_MAX, 17);
        config.set(DataSourceSettings.OVERTAKING_WINDOW, Duration.ofMillis(5));
        config.set(DataSourceSettings.SUCCESSOR_ALLOWANCE, 2);
        config.set(DataSourceSettings.OPENS_IN_FLIGHT_MAX, 9);
        config.set(DataSourceSettings.STAGGERED_STARTUP, true);
        config.set(DataSourceSettings.STAGGERED_STARTUP_MAX_DELAY, Duration.ofSeconds(8));
        config.set(DataSourceSettings.TRACKS_CHECKOUTS, true);

        assertThat(config.settings(Runnable::run))
                .isEqualTo(Settings.builder()
                        .baseLifetime(Duration.ofMinutes(20))
                        .lifetimeJitter(Duration.ofMinutes(3))
                        .guardWindow(Duration.ofSeconds(40))
                        .connectTimeout(Duration.ofSeconds(7))
                        .idleTimeout(Duration.ofMinutes(6))
                        .keepalive(Duration.ofMinutes(2))
                        .validationTimeout(Duration.ofSeconds(4))
                        .exhaustion(Exhaustion.OVERFLOW)
                        .failsFast(false)
                        .refillPacing(RefillPacing.OFF)
                        .overflowMax(3)
                        .waitersMax(17)
                        .overtakingWindow(Duration.ofMillis(5))
                        .successorAllowance(2)
                        .opensInFlightMax(9)
                        .startDelayMax(Duration.ofSeconds(8))
                        .tracksCheckouts(true)
                        .build());
    }

    /** The table has the ranges of the engine, which checks once more. */
    @Test
    void theEngineAcceptsTheLargestValues() {
        Duration year = Duration.ofDays(365);
        config.set(DataSourceSettings.CONNECT_TIMEOUT, year);
        config.set(DataSourceSettings.IDLE_TIMEOUT, year);
        config.set(DataSourceSettings.KEEPALIVE, year);
        config.set(DataSourceSettings.VALIDATION_TIMEOUT, year);
        config.set(DataSourceSettings.OVERTAKING_WINDOW, year);
        config.set(DataSourceSettings.STAGGERED_STARTUP, true);
        config.set(DataSourceSettings.STAGGERED_STARTUP_MAX_DELAY, year);
        config.set(DataSourceSettings.BASE_LIFETIME, year);
        config.set(DataSourceSettings.OVERFLOW_MAX, 100_000);
        config.set(DataSourceSettings.WAITERS_MAX, Integer.MAX_VALUE);
        config.set(DataSourceSettings.SUCCESSOR_ALLOWANCE, 100_000);
        config.set(DataSourceSettings.OPENS_IN_FLIGHT_MAX, 1_000_000);
        config.set(DataSourceSettings.MAX_OPEN, 100_000);

        config.check();

        assertThat(config.targets(Runnable::run).maxOpen()).isEqualTo(100_000);
        assertThat(config.settings(Runnable::run).opensInFlightMax()).isEqualTo(1_000_000);
    }

    @Test
    void targetAndLowWatermarkFollowTheMaximum() {
        config.set(DataSourceSettings.MAX_OPEN, 50);

        assertThat(config.targets(Runnable::run)).isEqualTo(new Targets(50, 50, 50, 0));
    }

    @Test
    void anUnsetMaximumFollowsWhatTheOtherTargetsAskFor() {
        config.set(DataSourceSettings.TARGET_READY, 50);

        assertThat(config.targets(Runnable::run)).isEqualTo(new Targets(50, 50, 50, 0));
    }

    @Test
    void anUnsetLowWatermarkFollowsASmallerTarget() {
        config.set(DataSourceSettings.MAX_OPEN, 50);
        config.set(DataSourceSettings.TARGET_READY, 20);

        assertThat(config.targets(Runnable::run)).isEqualTo(new Targets(50, 20, 20, 0));
    }

    @Test
    void aTargetBelowTheLowWatermarkIsRaisedWithAWarning() {
        config.set(DataSourceSettings.MAX_OPEN, 50);
        config.set(DataSourceSettings.TARGET_READY, 20);
        config.set(DataSourceSettings.LOW_WATERMARK, 25);
        try (LogLines log = new LogLines()) {
            assertThat(config.targets(Runnable::run)).isEqualTo(new Targets(50, 25, 25, 0));

            assertThat(log.lines())
                    .containsExactly("WARN Reservoir: setting replaced  key=targetReady value=20"
                            + " allowed=\"at least lowWatermark (25)\" used=25 reservoir=null");
        }
    }

    @Test
    void aLifetimeOfZeroOrLessIsElevenMinutesWithAWarning() {
        config.set(DataSourceSettings.BASE_LIFETIME, Duration.ZERO);
        try (LogLines log = new LogLines()) {
            assertThat(config.settings(Runnable::run).baseLifetimeNanos())
                    .isEqualTo(Duration.ofMinutes(11).toNanos());
            config.set(DataSourceSettings.BASE_LIFETIME, Duration.ofSeconds(-1));
            assertThat(config.settings(Runnable::run).baseLifetimeNanos())
                    .isEqualTo(Duration.ofMinutes(11).toNanos());

            assertThat(log.lines())
                    .containsExactly(
                            "WARN Reservoir: setting replaced  key=baseLifetime value=0s allowed=\"more than 0\""
                                    + " used=11m0s reservoir=null",
                            "WARN Reservoir: setting replaced  key=baseLifetime value=-1s allowed=\"more than 0\""
                                    + " used=11m0s reservoir=null");
        }
    }

    @Test
    void negativeJitterAndGuardWindowAreZeroWithAWarning() {
        config.set(DataSourceSettings.LIFETIME_JITTER, Duration.ofMinutes(-2));
        config.set(DataSourceSettings.GUARD_WINDOW, Duration.ofSeconds(-45));
        try (LogLines log = new LogLines()) {
            Settings settings = config.settings(Runnable::run);

            assertThat(settings.lifetimeJitterNanos()).isZero();
            assertThat(settings.guardWindowNanos()).isZero();
            assertThat(log.lines())
                    .containsExactly(
                            "WARN Reservoir: setting replaced  key=lifetimeJitter value=-2m0s allowed=\"0 or more\""
                                    + " used=0s reservoir=null",
                            "WARN Reservoir: setting replaced  key=guardWindow value=-45s allowed=\"0 or more\""
                                    + " used=0s reservoir=null");
        }
    }

    @ParameterizedTest
    @MethodSource
    void whatIsNotAllowedIsRefusedWithKeyValueAndWhatIs(Consumer<Config> change, String message) {
        change.accept(config);

        assertThatThrownBy(() -> {
                    config.check();
                    config.targets(Runnable::run);
                    config.settings(Runnable::run);
                })
                .isInstanceOf(SettingException.class)
                .hasMessageStartingWith(message);
    }

    static Stream<Arguments> whatIsNotAllowedIsRefusedWithKeyValueAndWhatIs() {
        return Stream.of(
                refused(
                        c -> c.set(DataSourceSettings.URL, null),
                        "url is missing; allowed: a JDBC URL, or a dataSource or dataSourceClassName in its place"),
                refused(
                        c -> c.set(DataSourceSettings.DATA_SOURCE_CLASS_NAME, "a.DataSource"),
                        "url is given together with dataSourceClassName; allowed: one of url, dataSource and"),
                refused(
                        c -> {
                            c.set(DataSourceSettings.URL, null);
                            c.set(DataSourceSettings.DATA_SOURCE_CLASS_NAME, "a.DataSource");
                            c.set(DataSourceSettings.DRIVER_CLASS_NAME, "a.Driver");
                        },
                        "driverClassName is a.Driver; allowed: only together with url, not with dataSourceClassName"),
                refused(
                        c -> c.set(DataSourceSettings.DATA_SOURCE, new FakeDatabase()),
                        "url is given together with dataSource; allowed: one of url, dataSource and"),
                refused(
                        c -> {
                            c.set(DataSourceSettings.URL, null);
                            c.set(DataSourceSettings.DATA_SOURCE, new FakeDatabase());
                            c.set(DataSourceSettings.DRIVER_CLASS_NAME, "a.Driver");
                        },
                        "driverClassName is a.Driver; allowed: only together with url, not with dataSource"),
                refused(
                        c -> {
                            c.set(DataSourceSettings.URL, null);
                            c.set(DataSourceSettings.DATA_SOURCE, new FakeDatabase());
                            c.addDriverProperty("sslpassword", "hunter2");
                        },
                        "driverProperties is given for sslpassword; allowed: only together with url or"
                                + " dataSourceClassName, not with dataSource"),
                refused(
                        c -> c.set(DataSourceSettings.NAME, "a b"),
                        "name is \"a b\"; allowed: 1 to 100 letters, digits, dots, dashes and underscores"),
                refused(c -> c.set(DataSourceSettings.NAME, ""), "name is \"\"; allowed:"),
                refused(c -> c.set(DataSourceSettings.MAX_OPEN, 0), "maxOpen is 0; allowed: 1 to 100000"),
                refused(c -> c.set(DataSourceSettings.MAX_OPEN, 100_001), "maxOpen is 100001; allowed: 1 to 100000"),
                refused(
                        c -> {
                            c.set(DataSourceSettings.MAX_OPEN, 10);
                            c.set(DataSourceSettings.TARGET_READY, 11);
                        },
                        "targetReady is 11; allowed: 0 to 10"),
                refused(
                        c -> {
                            c.set(DataSourceSettings.MAX_OPEN, 10);
                            c.set(DataSourceSettings.LOW_WATERMARK, 11);
                        },
                        "lowWatermark is 11; allowed: 0 to 10"),
                refused(c -> c.set(DataSourceSettings.TARGET_READY, -1), "targetReady is -1; allowed: 0 to 10"),
                refused(
                        c -> {
                            c.set(DataSourceSettings.MAX_OPEN, 5);
                            c.set(DataSourceSettings.MIN_OPEN, 6);
                        },
                        "minOpen is 6; allowed: 0 to 5"),
                refused(
                        c -> c.set(DataSourceSettings.GUARD_WINDOW, Duration.ofMinutes(10)),
                        "guardWindow is 10m0s; allowed: less than baseLifetime (11m0s) minus half of lifetimeJitter (2m0s)"),
                refused(
                        c -> c.set(DataSourceSettings.LIFETIME_JITTER, Duration.ofMinutes(12)),
                        "lifetimeJitter is 12m0s; allowed: 0s to 11m0s"),
                refused(
                        c -> c.set(DataSourceSettings.ACQUIRE_TIMEOUT, Duration.ofSeconds(-1)),
                        "acquireTimeout is -1s; allowed: 0s to"),
                refused(
                        c -> c.set(DataSourceSettings.ACQUIRE_TIMEOUT, Duration.ofDays(365 * 1000)),
                        "acquireTimeout is 8760000h0m0s; allowed: 0s to 8760h0m0s"),
                refused(
                        c -> c.set(DataSourceSettings.CONNECT_TIMEOUT, Duration.ofDays(365 * 1000)),
                        "connectTimeout is 8760000h0m0s; allowed: 1ns to 8760h0m0s"),
                refused(
                        c -> c.set(DataSourceSettings.DRAIN_TIMEOUT, Duration.ofSeconds(Long.MIN_VALUE)),
                        "drainTimeout is -2562047788015215h30m8s; allowed: 0s to"),
                refused(
                        c -> c.set(DataSourceSettings.CONNECT_TIMEOUT, Duration.ZERO),
                        "connectTimeout is 0s; allowed: 1ns to"),
                refused(
                        c -> c.set(DataSourceSettings.VALIDATION_TIMEOUT, Duration.ZERO),
                        "validationTimeout is 0s; allowed: 1ms to"),
                refused(
                        c -> c.set(DataSourceSettings.VALIDATION_IDLE, Duration.ofMillis(-1)),
                        "validationIdle is -1ms; allowed: 0s to"),
                refused(
                        c -> c.set(DataSourceSettings.IDLE_TIMEOUT, Duration.ofMillis(-1)),
                        "idleTimeout is -1ms; allowed:"),
                refused(c -> c.set(DataSourceSettings.KEEPALIVE, Duration.ofMillis(-1)), "keepalive is -1ms; allowed:"),
                refused(
                        c -> c.set(DataSourceSettings.DRAIN_TIMEOUT, Duration.ofMillis(-1)),
                        "drainTimeout is -1ms; allowed: 0s to"),
                refused(
                        c -> c.set(DataSourceSettings.LEAK_DETECTION_THRESHOLD, Duration.ofMillis(-1)),
                        "leakDetectionThreshold is -1ms; allowed: 0s to"),
                refused(
                        c -> c.set(DataSourceSettings.ABANDONED_TIMEOUT, Duration.ofMillis(-1)),
                        "abandonedTimeout is -1ms; allowed: 0s to"),
                refused(
                        c -> c.set(DataSourceSettings.EMPTY_WAIT, Duration.ofMillis(-1)),
                        "emptyWait is -1ms; allowed: 0s to"),
                refused(
                        c -> c.set(DataSourceSettings.INITIAL_FILL_TIMEOUT, Duration.ofMillis(-1)),
                        "initialFillTimeout is -1ms; allowed: 0s to"),
                refused(
                        c -> {
                            c.set(DataSourceSettings.STAGGERED_STARTUP, true);
                            c.set(DataSourceSettings.STAGGERED_STARTUP_MAX_DELAY, Duration.ofSeconds(-5));
                        },
                        "staggeredStartupMaxDelay is -5s; allowed: 0s to"),
                refused(
                        c -> c.set(DataSourceSettings.CONNECTION_RATE_LIMIT, 0.0),
                        "connectionRateLimit is 0.0; allowed: more than 0"),
                refused(
                        c -> c.set(DataSourceSettings.CONNECTION_RATE_LIMIT, Double.NaN),
                        "connectionRateLimit is NaN; allowed: more than 0"),
                refused(
                        c -> {
                            c.set(DataSourceSettings.CONNECTION_RATE_LIMIT, 10.0);
                            c.set(DataSourceSettings.CONNECTION_BURST_LIMIT, 0);
                        },
                        "connectionBurstLimit is 0; allowed: 1 or more"),
                refused(
                        c -> c.set(DataSourceSettings.CONNECTION_BURST_LIMIT, 100),
                        "connectionBurstLimit is 100; allowed: only together with connectionRateLimit"),
                refused(c -> c.set(DataSourceSettings.OPENS_IN_FLIGHT_MAX, 0), "opensInFlightMax is 0; allowed: 1 to"),
                refused(c -> c.set(DataSourceSettings.OVERFLOW_MAX, -1), "overflowMax is -1; allowed: 0 to"),
                refused(c -> c.set(DataSourceSettings.WAITERS_MAX, -1), "waitersMax is -1; allowed: 0 or more"),
                refused(
                        c -> c.set(DataSourceSettings.SUCCESSOR_ALLOWANCE, -2),
                        "successorAllowance is -2; allowed: -1 to"));
    }

    private static Arguments refused(Consumer<Config> change, String message) {
        return Arguments.of(change, message);
    }
}
