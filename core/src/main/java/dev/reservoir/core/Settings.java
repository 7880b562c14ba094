package dev.reservoir.core;

import dev.reservoir.core.util.Checks;
import dev.reservoir.core.util.DurationText;
import java.time.Duration;

/**
 * How a reservoir behaves. {@link Reservoir#setSettings} can replace most settings of a running reservoir, all at once.
 * {@link Targets} says how many connections it holds; they can change as well.
 *
 * @param baseLifetimeNanos the lifetime of a connection, before jitter; default 11 minutes
 * @param lifetimeJitterNanos lifetimes are spread evenly over the base plus or minus half of this; default 2 minutes
 * @param guardWindowNanos the last part of a lifetime, in which a connection is not handed out; default 45 seconds
 * @param scanIntervalNanos how often the scan checks ages; it checks for idleness every sixteenth of the shorter of
 *     keepalive and idle timeout, and at least every ten scan intervals; default 1 second
 * @param idleTimeoutNanos how long a connection beyond the target and the minimum may stay unused; 0, the default,
 *     keeps it
 * @param keepaliveNanos how long a ready connection may go without validation before it is validated; 0 switches that
 *     off; default 2 minutes
 * @param validationTimeoutNanos how long a validation may take; default 5 seconds
 * @param validationsInFlightMax how many validations may run at once; default 32
 * @param successorAllowance how many connections beyond {@code maxOpen} may exist while successors take over; -1, the
 *     default, means one tenth of {@code maxOpen}, at least 1
 * @param opensInFlightMax how many connects may run or wait for their permits at once; default 100
 * @param connectTimeoutNanos the time after which the reservoir gives up a connect; default 10 seconds
 * @param permitTimeoutNanos the time after which a wait for a permit counts as failed, beyond the wait that its place
 *     in the queue explains; default 1 minute
 * @param leaseTimeoutNanos the time after which a wait for a lease counts as failed; default 10 seconds
 * @param backoffBaseNanos the first pause after a failed connect; it doubles with every further failure; default 250
 *     milliseconds
 * @param backoffMaxNanos the longest pause between attempts; default 5 seconds
 * @param closesInFlightMax how many closes may run at once; default 32
 * @param closeTimeoutNanos the time after which a close counts as done; default 10 seconds
 * @param leaseReleaseAttempts how many times the reservoir tries to release a lease; default 5
 * @param exhaustion what a checkout does when no connection is ready; default {@link Exhaustion#WAIT}
 * @param overflowMax how many temporary connections may exist at once, with {@link Exhaustion#OVERFLOW}; default 10
 * @param waitersMax the maximum length of the wait queue; default 100,000
 * @param overtakingWindowNanos newcomers may overtake the oldest waiter until it has waited this long; a platform
 *     thread that was woken and does not run yet can be overtaken for 100 times as long; default 1 millisecond
 * @param startDelayMaxNanos the first connects begin after a random delay below this; 0, the default, begins at once
 * @param validationIntervalNanos how often the reservoir validates the connection that was validated least recently; 0
 *     never does; default 1 second
 * @param refillPacing how fast the reservoir opens connections that nobody needs yet; default
 *     {@link RefillPacing#SMOOTH}
 * @param failsFast whether, until the first connection is open, a refused login, an unknown host or an unknown database
 *     ends every checkout at once; default false: checkouts wait until their deadline
 * @param tracksCheckouts whether each checkout records its stack for the leak report; default false
 * @param lanes the number of starting points at which callers look for a ready connection, so that they collide less;
 *     default four per processor
 */
public record Settings(
        long baseLifetimeNanos,
        long lifetimeJitterNanos,
        long guardWindowNanos,
        long scanIntervalNanos,
        long idleTimeoutNanos,
        long keepaliveNanos,
        long validationTimeoutNanos,
        int validationsInFlightMax,
        int successorAllowance,
        int opensInFlightMax,
        long connectTimeoutNanos,
        long permitTimeoutNanos,
        long leaseTimeoutNanos,
        long backoffBaseNanos,
        long backoffMaxNanos,
        int closesInFlightMax,
        long closeTimeoutNanos,
        int leaseReleaseAttempts,
        Exhaustion exhaustion,
        int overflowMax,
        int waitersMax,
        long overtakingWindowNanos,
        long startDelayMaxNanos,
        long validationIntervalNanos,
        RefillPacing refillPacing,
        boolean failsFast,
        boolean tracksCheckouts,
        int lanes) {

    /** The defaults. */
    public static Settings defaults() {
        return builder().build();
    }

    /** A builder that starts from the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** How many connections beyond {@code maxOpen} may exist while successors take over. */
    public int successorAllowanceFor(int maxOpen) {
        return successorAllowance >= 0 ? successorAllowance : Math.max(1, maxOpen / 10);
    }

    /** Collects settings, each by the method of its name. {@link #build} checks them. */
    public static final class Builder {
        private static final Duration NONE = Duration.ZERO;
        private static final Duration TINY = Duration.ofNanos(1);
        private static final Duration YEAR = Duration.ofDays(365);

        /** Upper bound of counts in settings, far beyond what a pool needs. */
        private static final int MANY = 1_000_000;

        private Duration baseLifetime = Duration.ofMinutes(11);
        private Duration lifetimeJitter = Duration.ofMinutes(2);
        private Duration guardWindow = Duration.ofSeconds(45);
        private Duration scanInterval = Duration.ofSeconds(1);
        private Duration idleTimeout = NONE;
        private Duration keepalive = Duration.ofMinutes(2);
        private Duration validationTimeout = Duration.ofSeconds(5);
        private int validationsInFlightMax = 32;
        private int successorAllowance = -1;
        private int opensInFlightMax = 100;
        private Duration connectTimeout = Duration.ofSeconds(10);
        private Duration permitTimeout = Duration.ofMinutes(1);
        private Duration leaseTimeout = Duration.ofSeconds(10);
        private Duration backoffBase = Duration.ofMillis(250);
        private Duration backoffMax = Duration.ofSeconds(5);
        private int closesInFlightMax = 32;
        private Duration closeTimeout = Duration.ofSeconds(10);
        private int leaseReleaseAttempts = 5;
        private Exhaustion exhaustion = Exhaustion.WAIT;
        private int overflowMax = 10;
        private int waitersMax = 100_000;
        private Duration overtakingWindow = Duration.ofMillis(1);
        private Duration startDelayMax = NONE;
        private Duration validationInterval = Duration.ofSeconds(1);
        private RefillPacing refillPacing = RefillPacing.SMOOTH;
        private boolean failsFast;
        private boolean tracksCheckouts;
        private int lanes = 4 * Runtime.getRuntime().availableProcessors();

        private Builder() {}

        public Builder baseLifetime(Duration value) {
            baseLifetime = value;
            return this;
        }

        public Builder lifetimeJitter(Duration value) {
            lifetimeJitter = value;
            return this;
        }

        public Builder guardWindow(Duration value) {
            guardWindow = value;
            return this;
        }

        public Builder scanInterval(Duration value) {
            scanInterval = value;
            return this;
        }

        public Builder idleTimeout(Duration value) {
            idleTimeout = value;
            return this;
        }

        public Builder keepalive(Duration value) {
            keepalive = value;
            return this;
        }

        public Builder validationTimeout(Duration value) {
            validationTimeout = value;
            return this;
        }

        public Builder validationsInFlightMax(int value) {
            validationsInFlightMax = value;
            return this;
        }

        public Builder successorAllowance(int value) {
            successorAllowance = value;
            return this;
        }

        public Builder opensInFlightMax(int value) {
            opensInFlightMax = value;
            return this;
        }

        public Builder connectTimeout(Duration value) {
            connectTimeout = value;
            return this;
        }

        public Builder permitTimeout(Duration value) {
            permitTimeout = value;
            return this;
        }

        public Builder leaseTimeout(Duration value) {
            leaseTimeout = value;
            return this;
        }

        public Builder backoff(Duration base, Duration max) {
            backoffBase = base;
            backoffMax = max;
            return this;
        }

        public Builder closesInFlightMax(int value) {
            closesInFlightMax = value;
            return this;
        }

        public Builder closeTimeout(Duration value) {
            closeTimeout = value;
            return this;
        }

        public Builder leaseReleaseAttempts(int value) {
            leaseReleaseAttempts = value;
            return this;
        }

        public Builder exhaustion(Exhaustion value) {
            exhaustion = value;
            return this;
        }

        public Builder overflowMax(int value) {
            overflowMax = value;
            return this;
        }

        public Builder waitersMax(int value) {
            waitersMax = value;
            return this;
        }

        public Builder overtakingWindow(Duration value) {
            overtakingWindow = value;
            return this;
        }

        public Builder startDelayMax(Duration value) {
            startDelayMax = value;
            return this;
        }

        public Builder validationInterval(Duration value) {
            validationInterval = value;
            return this;
        }

        public Builder refillPacing(RefillPacing value) {
            refillPacing = value;
            return this;
        }

        public Builder failsFast(boolean value) {
            failsFast = value;
            return this;
        }

        public Builder tracksCheckouts(boolean value) {
            tracksCheckouts = value;
            return this;
        }

        public Builder lanes(int value) {
            lanes = value;
            return this;
        }

        /** Checks every setting. A {@link SettingException} names the first that is not allowed. */
        public Settings build() {
            long lifetime = Checks.nanosBetween("baseLifetime", baseLifetime, Duration.ofMillis(1), YEAR);
            long jitter = Checks.nanosBetween("lifetimeJitter", lifetimeJitter, NONE, baseLifetime);
            long guard = Checks.nanosBetween("guardWindow", guardWindow, NONE, YEAR);
            if (guard >= lifetime - jitter / 2) {
                throw new SettingException(
                        "guardWindow",
                        guardWindow,
                        "less than baseLifetime (" + DurationText.format(baseLifetime)
                                + ") minus half of lifetimeJitter (" + DurationText.format(lifetimeJitter) + ")");
            }
            return new Settings(
                    lifetime,
                    jitter,
                    guard,
                    Checks.nanosBetween("scanInterval", scanInterval, Duration.ofMillis(1), Duration.ofMinutes(1)),
                    Checks.nanosBetween("idleTimeout", idleTimeout, NONE, YEAR),
                    Checks.nanosBetween("keepalive", keepalive, NONE, YEAR),
                    Checks.nanosBetween("validationTimeout", validationTimeout, TINY, YEAR),
                    Checks.between("validationsInFlightMax", validationsInFlightMax, 1, MANY),
                    Checks.between("successorAllowance", successorAllowance, -1, Targets.MAX_OPEN_LIMIT),
                    Checks.between("opensInFlightMax", opensInFlightMax, 1, MANY),
                    Checks.nanosBetween("connectTimeout", connectTimeout, TINY, YEAR),
                    Checks.nanosBetween("permitTimeout", permitTimeout, TINY, YEAR),
                    Checks.nanosBetween("leaseTimeout", leaseTimeout, TINY, YEAR),
                    Checks.nanosBetween("backoffBase", backoffBase, TINY, backoffMax),
                    Checks.nanosBetween("backoffMax", backoffMax, TINY, YEAR),
                    Checks.between("closesInFlightMax", closesInFlightMax, 1, MANY),
                    Checks.nanosBetween("closeTimeout", closeTimeout, TINY, YEAR),
                    Checks.between("leaseReleaseAttempts", leaseReleaseAttempts, 1, 100),
                    exhaustion,
                    Checks.between("overflowMax", overflowMax, 0, Targets.MAX_OPEN_LIMIT),
                    Checks.between("waitersMax", waitersMax, 0, Integer.MAX_VALUE),
                    Checks.nanosBetween("overtakingWindow", overtakingWindow, NONE, YEAR),
                    Checks.nanosBetween("startDelayMax", startDelayMax, NONE, YEAR),
                    validationInterval.isZero()
                            ? 0
                            : Checks.nanosBetween(
                                    "validationInterval", validationInterval, Duration.ofMillis(10), YEAR),
                    refillPacing,
                    failsFast,
                    tracksCheckouts,
                    Checks.between("lanes", lanes, 1, 1 << 16));
        }
    }
}
