package dev.reservoir.bench.pools;

import dev.reservoir.bench.rationed.Limits;

/**
 * The limits of one database as its clients are told them. Pools that are given the same object share its permits, as the
 * pools of one process do; equality is identity for that reason.
 *
 * <p>Clients are told of a burst a little smaller than the database's. Connects that were sent evenly arrive unevenly, and
 * each spare token lets one of them arrive 10 ms late at 100/s without the next one's being refused.
 */
public final class Ration {

    private final int ratePerSecond;
    private final int burst;

    private Ration(int ratePerSecond, int burst) {
        this.ratePerSecond = ratePerSecond;
        this.burst = burst;
    }

    /** For one pool: two tokens to spare. */
    public static Ration forOne(Limits limits) {
        return new Ration(limits.ratePerSecond(), limits.burst() - 2);
    }

    /** For many pools that start at the same moment, and delay each other: half the burst to spare. */
    public static Ration forMany(Limits limits) {
        return new Ration(limits.ratePerSecond(), limits.burst() / 2);
    }

    public int ratePerSecond() {
        return ratePerSecond;
    }

    public int burst() {
        return burst;
    }
}
