package dev.reservoir.core;

import dev.reservoir.core.util.Checks;

/**
 * How many connections a reservoir holds. Can change while the reservoir runs.
 *
 * @param maxOpen the most connections held at once, in use or not
 * @param targetReady how many connections should be ready, as far as {@code maxOpen} allows
 * @param lowWatermark with fewer connections ready or in use than this, the reservoir requests permits urgently; with
 *     fewer than half of this, it requests all that are missing to that half at once; the initial fill also waits for
 *     this many
 * @param minOpen how many connections the idle timeout leaves open
 */
public record Targets(int maxOpen, int targetReady, int lowWatermark, int minOpen) {

    /** Upper bound of {@code maxOpen} for one reservoir. */
    public static final int MAX_OPEN_LIMIT = 100_000;

    /** Checks each number against its range. */
    public Targets {
        Checks.between("maxOpen", maxOpen, 1, MAX_OPEN_LIMIT);
        Checks.between("targetReady", targetReady, 0, maxOpen);
        Checks.between("lowWatermark", lowWatermark, 0, targetReady);
        Checks.between("minOpen", minOpen, 0, maxOpen);
    }

    /** Keeps all connections ready: the target and the low watermark equal the maximum. */
    public static Targets of(int maxOpen) {
        return new Targets(maxOpen, maxOpen, maxOpen, 0);
    }

    /** The same targets with another maximum. */
    public Targets withMaxOpen(int value) {
        return new Targets(value, targetReady, lowWatermark, minOpen);
    }

    /** The same targets with another number of ready connections. */
    public Targets withTargetReady(int value) {
        return new Targets(maxOpen, value, lowWatermark, minOpen);
    }
}
