package dev.reservoir.bench.cluster;

import dev.reservoir.bench.report.Median;
import dev.reservoir.bench.report.Results;
import dev.reservoir.bench.report.Unit;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Kills some processes of a fleet again and again, and measures how long it takes until their leases are free again.
 * Each time it starts as many new processes, and kills the next ones when all are full.
 */
record CrashCase(World world, Results results) {
    private static final int DIE = 5;
    private static final Duration LEASE_TIME = Duration.ofSeconds(15);
    private static final Duration LIMIT = LEASE_TIME.multipliedBy(2);
    private static final Duration FILL_LIMIT = Duration.ofMinutes(2);
    private static final Duration INTERVAL = Duration.ofMillis(20);

    void run(MeasuredSide side, int processes, int size, int rounds) throws IOException, InterruptedException {
        // The rate of connects does not matter here.
        MeasuredFleet fleet =
                new MeasuredFleet(world, FleetPlan.of(side, size).unrationed().withLeaseTime(LEASE_TIME));
        fleet.start(processes);
        fill(fleet);
        List<Double> all = new ArrayList<>();
        for (int round = 0; round < rounds && !all.contains(Double.POSITIVE_INFINITY); round++) {
            // The crashes must not always coincide with the timers of the other processes.
            world.pass(Duration.ofMillis(2_000 + 370L * round));
            all.add(nanosUntilLeasesAreBack(fleet, side, size));
            fleet.start(DIE);
            fill(fleet);
        }
        results.sheet(
                        "cluster crash",
                        processes + " x " + size + ", 5 die, lease time 15 s, " + world.title(),
                        side.title)
                .lower("until the leases are back, median", Unit.NANOS, Median.of(all))
                .lower("until the leases are back, longest", Unit.NANOS, Collections.max(all))
                .neutral("times", Unit.COUNT, all.size());
    }

    private void fill(MeasuredFleet fleet) throws InterruptedException {
        if (Double.isInfinite(fleet.nanosUntilFull(world.nanos(), FILL_LIMIT))) {
            throw new IllegalStateException("the fleet did not fill within " + FILL_LIMIT);
        }
    }

    /**
     * Kills some processes. The item of a dead member of Reservoir disappears together with its leases. Go processes
     * have no such items, so the case checks whether the count of leases decreases.
     */
    private double nanosUntilLeasesAreBack(MeasuredFleet fleet, MeasuredSide side, int size)
            throws InterruptedException {
        List<FleetProcess> dying = List.copyOf(fleet.processes.subList(0, DIE));
        List<String> members = dying.stream().map(FleetProcess::member).toList();
        long leasesBefore = fleet.leasesOut();
        long diedNanos = world.nanos();
        dying.forEach(fleet::kill);
        return world.nanosUntil(
                diedNanos,
                LIMIT,
                INTERVAL,
                () -> side == MeasuredSide.GO
                        ? fleet.leasesOut() <= leasesBefore - (long) DIE * size
                        : fleet.membersLeft(members) == 0);
    }
}
