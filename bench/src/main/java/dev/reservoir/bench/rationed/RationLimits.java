package dev.reservoir.bench.rationed;

import java.time.Duration;

/**
 * What a rationed database allows.
 *
 * @param ratePerSecond new connections a second
 * @param burst how many of them may come at once after a rest
 * @param connectTime how long a connect takes, and a refusal too, because the server answers at the end of the handshake
 * @param maxOpen connections open at once, counting those in their handshake
 * @param maxAge the age from which a connection's calls fail
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

    /** 100 a second, burst 10, 30 ms a connect, 10,000 open, an hour old. */
    public static RationLimits rationed() {
        return new RationLimits(100, 10, Duration.ofMillis(30), 10_000, Duration.ofHours(1));
    }

    /** As good as none: for filling a pool before the part that is measured. */
    public static RationLimits generous() {
        return new RationLimits(1_000_000, 1_000_000, Duration.ZERO, 1_000_000, Duration.ofHours(1));
    }

    public RationLimits withMaxAge(Duration age) {
        return new RationLimits(ratePerSecond, burst, connectTime, maxOpen, age);
    }
}
