package dev.reservoir.jdbc.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.core.Exhaustion;
import dev.reservoir.core.RefillPacing;
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
        config.url = "jdbc:fake:none";
    }

    @Test
    void withoutSettingsTheDefaultsHold() {
        config.check();

        assertThat(config.targets(Runnable::run)).isEqualTo(new Targets(10, 10, 10, 0));
        assertThat(config.settings(Runnable::run))
                .isEqualTo(Settings.builder().failsFast(true).build());
        assertThat(config.acquireTimeout).isEqualTo(Duration.ofSeconds(30));
        assertThat(config.initialFillTimeout).isEqualTo(Duration.ofSeconds(30));
        assertThat(config.connectionRateLimit).isNull();
        assertThat(config.exhaustion).isEqualTo(Exhaustion.WAIT);
    }

    @Test
    void whatTheEngineGoesByReachesIt() {
        config.baseLifetime = Duration.ofMinutes(20);
        config.lifetimeJitter = Duration.ofMinutes(3);
        config.guardWindow = Duration.ofSeconds(40);
        config.connectTimeout = Duration.ofSeconds(7);
        config.idleTimeout = Duration.ofMinutes(6);
        config.keepalive = Duration.ofMinutes(2);
        config.validationTimeout = Duration.ofSeconds(4);
        config.exhaustion = Exhaustion.OVERFLOW;
        config.failFast = false;
        config.refillPacing = RefillPacing.OFF;
        config.overflowMax = 3;
        config.waitersMax = 17;
        config.overtakingWindow = Duration.ofMillis(5);
        config.successorAllowance = 2;
        config.opensInFlightMax = 9;
        config.staggeredStartup = true;
        config.staggeredStartupMaxDelay = Duration.ofSeconds(8);
        config.tracksCheckouts = true;

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

    @Test
    void targetAndLowWatermarkFollowTheMaximum() {
        config.maxOpen = 50;

        assertThat(config.targets(Runnable::run)).isEqualTo(new Targets(50, 50, 50, 0));
    }

    @Test
    void anUnsetMaximumFollowsWhatTheOtherTargetsAskFor() {
        config.targetReady = 50;

        assertThat(config.targets(Runnable::run)).isEqualTo(new Targets(50, 50, 50, 0));
    }

    @Test
    void anUnsetLowWatermarkFollowsASmallerTarget() {
        config.maxOpen = 50;
        config.targetReady = 20;

        assertThat(config.targets(Runnable::run)).isEqualTo(new Targets(50, 20, 20, 0));
    }

    @Test
    void aTargetBelowTheLowWatermarkIsRaisedWithAWarning() {
        config.maxOpen = 50;
        config.targetReady = 20;
        config.lowWatermark = 25;
        try (LogLines log = new LogLines()) {
            assertThat(config.targets(Runnable::run)).isEqualTo(new Targets(50, 25, 25, 0));

            assertThat(log.lines())
                    .containsExactly("WARN Reservoir: setting replaced  key=targetReady value=20"
                            + " allowed=\"at least lowWatermark (25)\" used=25 reservoir=null");
        }
    }

    @Test
    void aLifetimeOfZeroOrLessIsElevenMinutesWithAWarning() {
        config.baseLifetime = Duration.ZERO;
        try (LogLines log = new LogLines()) {
            assertThat(config.settings(Runnable::run).baseLifetimeNanos())
                    .isEqualTo(Duration.ofMinutes(11).toNanos());
            config.baseLifetime = Duration.ofSeconds(-1);
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
        config.lifetimeJitter = Duration.ofMinutes(-2);
        config.guardWindow = Duration.ofSeconds(-45);
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
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(message);
    }

    static Stream<Arguments> whatIsNotAllowedIsRefusedWithKeyValueAndWhatIs() {
        return Stream.of(
                refused(
                        c -> c.url = null,
                        "url is missing; allowed: a JDBC URL, or a dataSource or dataSourceClassName in its place"),
                refused(
                        c -> c.dataSourceClassName = "a.DataSource",
                        "url and dataSourceClassName are both given; allowed: one of them"),
                refused(
                        c -> {
                            c.url = null;
                            c.dataSourceClassName = "a.DataSource";
                            c.driverClassName = "a.Driver";
                        },
                        "driverClassName is a.Driver; allowed: only together with url, not with dataSourceClassName"),
                refused(
                        c -> c.dataSource = new FakeDatabase(),
                        "url and dataSource are both given; allowed: one of them"),
                refused(
                        c -> {
                            c.url = null;
                            c.dataSource = new FakeDatabase();
                            c.driverClassName = "a.Driver";
                        },
                        "driverClassName is a.Driver; allowed: only together with url, not with dataSource"),
                refused(
                        c -> {
                            c.url = null;
                            c.dataSource = new FakeDatabase();
                            c.driverProperties.setProperty("sslpassword", "hunter2");
                        },
                        "driverProperties is given for sslpassword; allowed: only together with url or"
                                + " dataSourceClassName, not with dataSource"),
                refused(
                        c -> c.name = "a b",
                        "name is \"a b\"; allowed: 1 to 100 letters, digits, dots, dashes and underscores"),
                refused(c -> c.name = "", "name is \"\"; allowed:"),
                refused(c -> c.maxOpen = 0, "maxOpen is 0; allowed: 1 to 100000"),
                refused(c -> c.maxOpen = 100_001, "maxOpen is 100001; allowed: 1 to 100000"),
                refused(
                        c -> {
                            c.maxOpen = 10;
                            c.targetReady = 11;
                        },
                        "targetReady is 11; allowed: 0 to 10"),
                refused(
                        c -> {
                            c.maxOpen = 10;
                            c.lowWatermark = 11;
                        },
                        "lowWatermark is 11; allowed: 0 to 10"),
                refused(c -> c.targetReady = -1, "targetReady is -1; allowed: 0 to 10"),
                refused(
                        c -> {
                            c.maxOpen = 5;
                            c.minOpen = 6;
                        },
                        "minOpen is 6; allowed: 0 to 5"),
                refused(
                        c -> c.guardWindow = Duration.ofMinutes(10),
                        "guardWindow is 10m0s; allowed: less than baseLifetime (11m0s) minus half of lifetimeJitter (2m0s)"),
                refused(
                        c -> c.lifetimeJitter = Duration.ofMinutes(12),
                        "lifetimeJitter is 12m0s; allowed: 0s to 11m0s"),
                refused(c -> c.acquireTimeout = Duration.ofSeconds(-1), "acquireTimeout is -1s; allowed: 0s to"),
                refused(
                        c -> c.acquireTimeout = Duration.ofDays(365 * 1000),
                        "acquireTimeout is 8760000h0m0s; allowed: 0s to 8760h0m0s"),
                refused(
                        c -> c.connectTimeout = Duration.ofDays(365 * 1000),
                        "connectTimeout is 8760000h0m0s; allowed: 1ns to 8760h0m0s"),
                refused(
                        c -> c.drainTimeout = Duration.ofSeconds(Long.MIN_VALUE),
                        "drainTimeout is -2562047788015215h30m8s; allowed: 0s to"),
                refused(c -> c.connectTimeout = Duration.ZERO, "connectTimeout is 0s; allowed: 1ns to"),
                refused(c -> c.validationTimeout = Duration.ZERO, "validationTimeout is 0s; allowed: 1ms to"),
                refused(c -> c.validationIdle = Duration.ofMillis(-1), "validationIdle is -1ms; allowed: 0s to"),
                refused(c -> c.idleTimeout = Duration.ofMillis(-1), "idleTimeout is -1ms; allowed:"),
                refused(c -> c.keepalive = Duration.ofMillis(-1), "keepalive is -1ms; allowed:"),
                refused(c -> c.drainTimeout = Duration.ofMillis(-1), "drainTimeout is -1ms; allowed: 0s to"),
                refused(
                        c -> c.leakDetectionThreshold = Duration.ofMillis(-1),
                        "leakDetectionThreshold is -1ms; allowed: 0s to"),
                refused(c -> c.abandonedTimeout = Duration.ofMillis(-1), "abandonedTimeout is -1ms; allowed: 0s to"),
                refused(c -> c.emptyWait = Duration.ofMillis(-1), "emptyWait is -1ms; allowed: 0s to"),
                refused(
                        c -> c.initialFillTimeout = Duration.ofMillis(-1),
                        "initialFillTimeout is -1ms; allowed: 0s to"),
                refused(
                        c -> {
                            c.staggeredStartup = true;
                            c.staggeredStartupMaxDelay = Duration.ofSeconds(-5);
                        },
                        "staggeredStartupMaxDelay is -5s; allowed: 0s to"),
                refused(c -> c.connectionRateLimit = 0.0, "connectionRateLimit is 0.0; allowed: more than 0"),
                refused(c -> c.connectionRateLimit = Double.NaN, "connectionRateLimit is NaN; allowed: more than 0"),
                refused(
                        c -> {
                            c.connectionRateLimit = 10.0;
                            c.connectionBurstLimit = 0;
                        },
                        "connectionBurstLimit is 0; allowed: 1 or more"),
                refused(
                        c -> c.connectionBurstLimit = 100,
                        "connectionBurstLimit is 100; allowed: only together with connectionRateLimit"),
                refused(c -> c.opensInFlightMax = 0, "opensInFlightMax is 0; allowed: 1 to"),
                refused(c -> c.overflowMax = -1, "overflowMax is -1; allowed: 0 to"),
                refused(c -> c.waitersMax = -1, "waitersMax is -1; allowed: 0 to"),
                refused(c -> c.successorAllowance = -2, "successorAllowance is -2; allowed: -1 to"));
    }

    private static Arguments refused(Consumer<Config> change, String message) {
        return Arguments.of(change, message);
    }
}
