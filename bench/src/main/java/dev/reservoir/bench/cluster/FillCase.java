package dev.reservoir.bench.cluster;

import dev.reservoir.bench.report.Results;
import dev.reservoir.bench.report.Unit;
import dev.reservoir.cluster.store.StoreCounts;
import java.io.IOException;
import java.time.Duration;

/**
 * All processes of a fleet start at the same time, fill their reservoirs and then end in order. Measures how long that
 * takes and how much it writes. The writes of heartbeats count too.
 */
record FillCase(World world, Results results) {
    private static final Duration LIMIT = Duration.ofMinutes(2);

    void run(MeasuredSide side, int processes, int size) throws IOException, InterruptedException {
        MeasuredFleet fleet = new MeasuredFleet(world, FleetPlan.of(side, size));
        long began = world.nanos();
        fleet.start(processes);
        double firstNanos = world.nanosUntil(
                began, LIMIT, () -> fleet.database.rationed.counts().opened() > 0);
        double fullNanos = fleet.nanosUntilFull(began, LIMIT);
        StoreCounts full = fleet.counts();
        double opened = Math.max(1, fleet.database.rationed.counts().opened());
        double leftNanos = fleet.leave(LIMIT);
        long leasesLeft = fleet.leasesOut();
        StoreCounts all = fleet.counts();
        results.sheet("cluster fill", processes + " x " + size + ", " + world.title(), side.title)
                .lower("time to the first connection", Unit.NANOS, firstNanos)
                .lower("time to full", Unit.NANOS, fullNanos)
                .lower(
                        "refused connects",
                        Unit.COUNT,
                        fleet.database.rationed.counts().refused())
                .neutral(
                        "most open",
                        Unit.COUNT,
                        fleet.database.rationed.counts().openMax())
                .lower("item writes per connection opened and closed", Unit.FACTOR, all.itemsWritten() / opened)
                .lower("of these until full", Unit.FACTOR, full.itemsWritten() / opened)
                .lower("write units per connection", Unit.FACTOR, all.writeUnits() / opened)
                .lower("items read per connection", Unit.FACTOR, all.itemsRead() / opened)
                .lower("time to close", Unit.NANOS, leftNanos)
                .lower("leases left over", Unit.COUNT, leasesLeft)
                .lower("calls that failed", Unit.COUNT, all.errors());
    }
}
