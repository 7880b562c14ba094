package dev.reservoir.bench.cluster;

import java.time.Duration;

/**
 * What a fleet is.
 *
 * @param side how its processes share the budget
 * @param size how many connections each of them holds
 * @param opensAtOnce how many of these a process asks for at once; those of Go ask for one whatever this says
 * @param ratePerSecond how many connections the database admits a second
 * @param burst how many at once after a rest
 * @param leaseTime within which the leases of a dead process are to be taken back
 */
record FleetPlan(MeasuredSide side, int size, int opensAtOnce, int ratePerSecond, int burst, Duration leaseTime) {

    /** As reservoirs do by default. */
    static final int OPENS_AT_ONCE = 100;

    private static final Duration LEASE_TIME = Duration.ofSeconds(60);

    /** On a database with the limits of Aurora DSQL, at the defaults. */
    static FleetPlan of(MeasuredSide side, int size) {
        return new FleetPlan(side, size, OPENS_AT_ONCE, 100, 1_000, LEASE_TIME);
    }

    /** With no limit on connects to speak of. */
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
