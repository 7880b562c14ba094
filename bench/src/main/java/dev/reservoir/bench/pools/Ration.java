package dev.reservoir.bench.pools;

import dev.reservoir.bench.rationed.RationLimits;

/**
 * The limits of one database as its clients know them. Pools that get the same object share its permits, as the pools
 * of one process do. Therefore two rations are equal only if they are the same object.
 */
public final class Ration {

    private final int ratePerSecond;
    private final int burst;

    private Ration(int ratePerSecond, int burst) {
        this.ratePerSecond = ratePerSecond;
        this.burst = burst;
    }

    /** The database's own rate and burst. */
    public static Ration of(RationLimits limits) {
        return new Ration(limits.ratePerSecond(), limits.burst());
    }

    public int ratePerSecond() {
        return ratePerSecond;
    }

    public int burst() {
        return burst;
    }
}
