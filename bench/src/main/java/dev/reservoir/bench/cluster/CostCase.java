package dev.reservoir.bench.cluster;

import dev.reservoir.bench.report.Results;
import dev.reservoir.bench.report.Unit;
import dev.reservoir.cluster.store.StoreCounts;
import java.io.IOException;
import java.time.Duration;

/**
 * Measures the cost of a fleet that is full and stays full: the capacity that it consumes in an hour and the dollars
 * for a month. Its connections live for 11 minutes and are replaced. The case runs on virtual time, for the hour that
 * begins when the fleet is full. The sides do not replace the same number of connections in that hour, so the results
 * of Go are scaled to Reservoir's number.
 */
record CostCase(Results results, Prices prices) {
    private static final Duration FILL_LIMIT = Duration.ofMinutes(10);

    /** The capacity that a fleet consumes in an hour. */
    private record Hour(double replaced, double writeUnits, double readUnits) {

        /**
         * Scales the hour to another number of connections. Only Go's hour is scaled, because Go processes write
         * nothing but items for connections.
         */
        Hour asFor(double connections, MeasuredSide side) {
            double factor = side == MeasuredSide.GO ? connections / replaced : 1;
            return new Hour(replaced * factor, writeUnits * factor, readUnits * factor);
        }
    }

    void run(int processes, int size, Duration leaseTime) throws IOException, InterruptedException {
        double replaced = 0;
        for (MeasuredSide side : MeasuredSide.values()) {
            Hour hour = hour(side, processes, size, leaseTime);
            replaced = side == MeasuredSide.RESERVOIR ? hour.replaced : replaced;
            String setting = processes + " x " + size + ", lease time " + leaseTime.toSeconds() + " s";
            write(results.sheet("cluster cost", setting, side.title), hour.asFor(replaced, side));
        }
    }

    private void write(Results.Sheet sheet, Hour hour) throws IOException {
        sheet.neutral("connections replaced an hour", Unit.COUNT, hour.replaced)
                .lower("write units an hour", Unit.COUNT, hour.writeUnits)
                .lower("read units an hour", Unit.COUNT, hour.readUnits)
                .lower("write units per connection replaced", Unit.FACTOR, hour.writeUnits / hour.replaced)
                .lower("dollars a month", Unit.FACTOR, prices.dollarsPerMonth(hour.writeUnits, hour.readUnits));
    }

    private static Hour hour(MeasuredSide side, int processes, int size, Duration leaseTime)
            throws InterruptedException {
        try (ModelWorld world = new ModelWorld()) {
            MeasuredFleet fleet =
                    new MeasuredFleet(world, FleetPlan.of(side, size).withLeaseTime(leaseTime));
            fleet.start(processes);
            if (Double.isInfinite(fleet.nanosUntilFull(world.nanos(), FILL_LIMIT))) {
                throw new IllegalStateException("the fleet did not fill within " + FILL_LIMIT);
            }
            StoreCounts before = fleet.counts();
            long opened = fleet.database.rationed.counts().opened();
            world.pass(Duration.ofHours(1));
            StoreCounts after = fleet.counts();
            return new Hour(
                    fleet.database.rationed.counts().opened() - opened,
                    after.writeUnits() - before.writeUnits(),
                    after.readUnits() - before.readUnits());
        }
    }
}
