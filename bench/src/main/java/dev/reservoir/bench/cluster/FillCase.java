package dev.reservoir.bench.cluster;

import dev.reservoir.bench.report.Unit;
import dev.reservoir.cluster.store.StoreCounts;
import java.io.IOException;
import java.time.Duration;

/**
 * All processes of a fleet start at the same time, fill their reservoirs and then end in order. Measures how long that
 * takes and how much it writes. The writes of heartbeats count too.
 */
final class FillCase {
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private final World world;
    private final FigureFile figures;

    FillCase(World world, FigureFile figures) {
        this.world = world;
        this.figures = figures;
    }

    void run(MeasuredSide side, int processes, int size) throws IOException, InterruptedException {
        MeasuredFleet fleet = new MeasuredFleet(world, FleetPlan.of(side, size));
        long began = world.nanos();
        fleet.start(processes);
        double firstNanos = world.nanosUntil(() -> fleet.database.opened() > 0, began, LIMIT);
        double fullNanos = fleet.nanosUntilFull(began, LIMIT);
        StoreCounts full = fleet.counts();
        double opened = Math.max(1, fleet.database.opened());
        double leftNanos = fleet.leave(LIMIT);
        long leasesLeft = fleet.leasesOut();
        StoreCounts all = fleet.counts();
        figures.sheet("fill", processes + " x " + size + ", " + world.title(), side)
                .add("time to the first connection", Unit.NANOS, firstNanos)
                .add("time to full", Unit.NANOS, fullNanos)
                .add("refused connects", Unit.COUNT, fleet.database.refused())
                .add("most open", Unit.COUNT, fleet.database.openMax())
                .add("item writes per connection opened and closed", Unit.FACTOR, all.itemsWritten() / opened)
                .add("of these until full", Unit.FACTOR, full.itemsWritten() / opened)
                .add("write units per connection", Unit.FACTOR, all.writeUnits() / opened)
                .add("items read per connection", Unit.FACTOR, all.itemsRead() / opened)
                .add("time to close", Unit.NANOS, leftNanos)
                .add("leases left over", Unit.COUNT, leasesLeft)
                .add("calls that failed", Unit.COUNT, all.errors());
    }
}
