package dev.reservoir.core;

import dev.reservoir.core.util.Checks;

/**
 * How many connections a reservoir holds. Can be changed while it runs.
 *
 * @param maxOpen the most connections held at once, on loan or not
 * @param targetReady how many should stand ready, as far as {@code maxOpen} allows
 * @param lowWatermark below this many ready or lent, permits are asked for urgently, and below half of it all that is missing to
 *     that half at once; also what the initial fill waits for
 * @param minOpen what the idle time-out leaves open
 */
public record Targets(int maxOpen, int targetReady, int lowWatermark, int minOpen) {

    /** The most connections one reservoir can be asked to hold. */
    public static final int MAX_OPEN_LIMIT = 100_000;

    /** Checks the numbers against each other. */
    public Targets {
        Checks.between("maxOpen", maxOpen, 1, MAX_OPEN_LIMIT);
        Checks.between("targetReady", targetReady, 0, maxOpen);
        Checks.between("lowWatermark", lowWatermark, 0, targetReady);
        Checks.between("minOpen", minOpen, 0, maxOpen);
    }

    /** All connections stand ready: target and low watermark equal the maximum. */
    public static Targets of(int maxOpen) {
        return new Targets(maxOpen, maxOpen, maxOpen, 0);
    }

    /** The same with another maximum. */
    public Targets withMaxOpen(int value) {
        return new Targets(value, targetReady, lowWatermark, minOpen);
    }

    /** The same with another target. */
    public Targets withTargetReady(int value) {
        return new Targets(maxOpen, value, lowWatermark, minOpen);
    }
}
