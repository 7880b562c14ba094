package dev.reservoir.core;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/** Settings and targets drawn at random: small numbers and short times, so that limits are met often. */
final class RandomSettings {
    private final SplittableRandom random;
    private final Targets targets;
    private final Settings.Builder builder = Settings.builder();
    private final Settings built;

    RandomSettings(SplittableRandom random) {
        this.random = random;
        targets = anyTargets(random);
        Duration lifetime = millis(1_000, 20_000);
        Duration jitter = lifetime.dividedBy(2 + random.nextInt(6));
        Duration backoff = millis(5, 250);
        builder.baseLifetime(lifetime)
                .lifetimeJitter(random.nextBoolean() ? Duration.ZERO : jitter)
                .guardWindow(random.nextInt(4) == 0 ? Duration.ZERO : lifetime.dividedBy(3 + random.nextInt(10)))
                .scanInterval(millis(20, 1_000))
                .idleTimeout(orNone(millis(100, 5_000)))
                .keepalive(orNone(millis(100, 3_000)))
                .validationTimeout(random.nextInt(4) == 0 ? millis(1_000, 3_000) : millis(20, 500))
                .validationsInFlightMax(1 + random.nextInt(5))
                .successorAllowance(random.nextInt(5) - 1)
                .opensInFlightMax(1 + random.nextInt(20))
                .connectTimeout(millis(50, 2_000))
                .permitTimeout(millis(100, 5_000))
                .leaseTimeout(millis(50, 1_000))
                .backoff(backoff, backoff.multipliedBy(1 + random.nextInt(10)))
                .closesInFlightMax(1 + random.nextInt(5))
                .closeTimeout(millis(20, 1_000))
                .leaseReleaseAttempts(1 + random.nextInt(5))
                .exhaustion(List.of(Exhaustion.WAIT, Exhaustion.FAIL, Exhaustion.OVERFLOW)
                        .get(random.nextInt(3)))
                .overflowMax(random.nextInt(4))
                .waitersMax(random.nextInt(30))
                .overtakingWindow(orNone(millis(1, 5)))
                .startDelayMax(random.nextInt(4) == 0 ? millis(1, 1_000) : Duration.ZERO)
                .validationInterval(orNone(millis(50, 2_000)))
                .refillPacing(random.nextBoolean() ? RefillPacing.SMOOTH : RefillPacing.OFF)
                .failsFast(random.nextBoolean())
                .tracksCheckouts(random.nextInt(8) == 0)
                .lanes(1 + random.nextInt(8));
        built = builder.build();
    }

    static Targets anyTargets(SplittableRandom random) {
        int maxOpen = 1 + random.nextInt(12);
        int target = random.nextBoolean() ? maxOpen : random.nextInt(maxOpen + 1);
        return new Targets(maxOpen, target, random.nextInt(target + 1), random.nextInt(maxOpen + 1));
    }

    Targets targets() {
        return targets;
    }

    Settings.Builder builder() {
        return builder;
    }

    long baseLifetimeNanos() {
        return built.baseLifetimeNanos();
    }

    /** How long a connection can be in use, at the least. */
    long usableNanos() {
        return built.baseLifetimeNanos() - built.lifetimeJitterNanos() / 2 - built.guardWindowNanos();
    }

    long connectTimeoutNanos() {
        return built.connectTimeoutNanos();
    }

    long validationTimeoutNanos() {
        return built.validationTimeoutNanos();
    }

    long closeTimeoutNanos() {
        return built.closeTimeoutNanos();
    }

    long leaseTimeoutNanos() {
        return built.leaseTimeoutNanos();
    }

    private Duration millis(int least, int most) {
        return Duration.ofMillis(least + random.nextInt(most - least + 1));
    }

    private Duration orNone(Duration value) {
        return random.nextBoolean() ? Duration.ZERO : value;
    }
}
