package dev.reservoir.bench.cluster;

import java.time.Duration;

/**
 * The settings of a fleet.
 *
 * @param side how its processes share the budget
 * @param size the number of connections that each process holds
 * @param opensAtOnce the number of connections that a process requests at once; Go processes always request one
 * @param ratePerSecond the number of connections that the database admits each second
 * @param burst the number of connections that the database admits at once after a pause
 * @param leaseTime the time within which the leases of a dead process must be reclaimed
 */
record FleetPlan(MeasuredSide side, int size, int opensAtOnce, int ratePerSecond, int burst, Duration leaseTime) {

    /** The default of a reservoir. */
    static final int OPENS_AT_ONCE = 100;

    private static final Duration LEASE_TIME = Duration.ofSeconds(60);

    /** A fleet on a database with the limits of Aurora DSQL, at the defaults. */
    static FleetPlan of(MeasuredSide side, int size) {
        return new FleetPlan(side, size, OPENS_AT_ONCE, 100, 1_000, LEASE_TIME);
    }

    /** The same fleet with a limit on connects that it never reaches. */
    FleetPlan unrationed() {
        return new FleetPlan(side, size, opensAtOnce, 10_000, 10_000, leaseTime);
    }

    FleetPlan withLeaseTime(Duration value) {
        return new FleetPlan(side, size, opensAtOnce, ratePerSecond, burst, value);
    }

    FleetPlan withOpensAtOnce(int value) {
        return new FleetPlan(side, size, value, ratePerSecond, burst, leaseTime);
    }
}
