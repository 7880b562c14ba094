package dev.reservoir.bench.pools;

import dev.reservoir.bench.rationed.RationLimits;

/**
 * The limits of one database as its clients are told them. Pools that are given the same object share its permits, as the
 * pools of one process do; equality is identity for that reason.
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
