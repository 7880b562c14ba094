package dev.reservoir.bench.rationed;

import java.time.Duration;

/**
 * The limits of a rationed database.
 *
 * @param ratePerSecond new connections each second
 * @param burst new connections allowed at once after a pause
 * @param connectTime how long a connect takes, and a refusal too, because the server answers at the end of the
 *     handshake
 * @param maxOpen connections open at once, including those in their handshake
 * @param maxAge the age from which the calls of a connection fail
 */
public record RationLimits(int ratePerSecond, int burst, Duration connectTime, int maxOpen, Duration maxAge) {

    public RationLimits {
        if (connectTime.isNegative()) {
            throw new IllegalArgumentException("connectTime = " + connectTime + ", allowed: zero or more");
        }
        if (maxOpen < 1) {
            throw new IllegalArgumentException("maxOpen = " + maxOpen + ", allowed: 1 or more");
        }
        if (maxAge.isNegative() || maxAge.isZero()) {
            throw new IllegalArgumentException("maxAge = " + maxAge + ", allowed: more than zero");
        }
    }

    /** 100 a second, burst 10, 30 ms for a connect, 10,000 open, one hour of age. */
    public static RationLimits rationed() {
        return new RationLimits(100, 10, Duration.ofMillis(30), 10_000, Duration.ofHours(1));
    }

    /** Limits that no pool reaches, to fill a pool before the measured part. */
    public static RationLimits generous() {
        return new RationLimits(1_000_000, 1_000_000, Duration.ZERO, 1_000_000, Duration.ofHours(1));
    }

    public RationLimits withRate(int perSecond, int atOnce) {
        return new RationLimits(perSecond, atOnce, connectTime, maxOpen, maxAge);
    }

    public RationLimits withMaxAge(Duration age) {
        return new RationLimits(ratePerSecond, burst, connectTime, maxOpen, age);
    }
}
