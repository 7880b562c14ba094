package dev.reservoir.bench.cluster;

import dev.reservoir.bench.report.Median;
import dev.reservoir.bench.report.Results;
import dev.reservoir.bench.report.Unit;
import dev.reservoir.cluster.store.StoreCounts;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/**
 * Large fleets that start within a second, stay idle, and lose the table for a minute. They run on virtual time and on
 * a table that has DynamoDB's limits for each key and its prices. The processes have only budgets and no reservoirs.
 */
record LargeFleetCase(Results results, Prices prices) {
    private static final int EACH = 5;

    private static final Duration OUTAGE = Duration.ofSeconds(60);

    /**
     * A second is calm if no call fails and it consumes at most this many times the units of the busiest quiet second.
     */
    private static final double CALM_FACTOR_MAX = 2;

    /** How long after the outage the case looks for seconds that are not calm. */
    private static final int SECONDS_AFTER = 120;

    private Results.Sheet sheet(String what, int processes) {
        return results.sheet(
                what, String.format(Locale.ROOT, "%,d processes", processes), MeasuredSide.RESERVOIR.title);
    }

    /** Measures how long each process waits for its first lease, and how many requests fail on the way. */
    void start(int processes) throws IOException {
        LimitedFleet fleet = new LimitedFleet(processes, EACH);
        fleet.pass(Duration.ofSeconds(60));
        List<Double> nanos = fleet.firstLeaseNanos();
        sheet("cluster start", processes)
                .lower("first lease, median", Unit.NANOS, Median.of(nanos))
                .lower("first lease, longest", Unit.NANOS, Collections.max(nanos))
                .lower("failed requests", Unit.COUNT, fleet.failedRequests())
                .lower(
                        "calls that conflicted at an item",
                        Unit.COUNT,
                        fleet.counts().conflicts())
                .lower("calls that were throttled", Unit.COUNT, fleet.counts().throttled());
    }

    void idle(int processes) throws IOException {
        LimitedFleet fleet = new LimitedFleet(processes, EACH);
        fleet.pass(Duration.ofMinutes(5));
        StoreCounts before = fleet.counts();
        Duration time = Duration.ofMinutes(30);
        fleet.pass(time);
        StoreCounts after = fleet.counts();
        double minutes = time.toMinutes();
        double reads = (after.readUnits() - before.readUnits()) / minutes;
        double writes = (after.writeUnits() - before.writeUnits()) / minutes;
        sheet("cluster idle", processes)
                .lower("read units a minute and process", Unit.FACTOR, reads / processes)
                .lower("write units a minute and process", Unit.FACTOR, writes / processes)
                .lower("failed calls", Unit.COUNT, after.errors() - before.errors())
                .lower("dollars a month", Unit.FACTOR, prices.dollarsPerMonth(60 * writes, 60 * reads));
    }

    /** Measures how soon the fleet is calm after a minute in which the table refuses writes or does not answer. */
    void outage(int processes) throws IOException {
        for (LimitedFleet.Outage kind :
                List.of(LimitedFleet.Outage.WRITES_THROTTLED, LimitedFleet.Outage.NOTHING_ANSWERED)) {
            LimitedFleet fleet = new LimitedFleet(processes, EACH);
            fleet.pass(Duration.ofMinutes(3));
            double quiet = busiestSecond(fleet);
            fleet.begin(kind);
            fleet.pass(OUTAGE);
            fleet.begin(LimitedFleet.Outage.NONE);
            int calmAfter = 0;
            for (int second = 1; second <= SECONDS_AFTER; second++) {
                StoreCounts before = fleet.counts();
                fleet.pass(Duration.ofSeconds(1));
                StoreCounts after = fleet.counts();
                if (after.errors() > before.errors() || units(after) - units(before) > CALM_FACTOR_MAX * quiet) {
                    calmAfter = second;
                }
            }
            String setting = String.format(Locale.ROOT, "%,d processes, 60 s, %s", processes, kind.title);
            results.sheet("cluster outage", setting, MeasuredSide.RESERVOIR.title)
                    .lower("calm after", Unit.NANOS, calmAfter * 1e9)
                    .lower("processes declared dead", Unit.COUNT, fleet.declaredDead())
                    .lower("leases held beyond the limit", Unit.COUNT, fleet.heldBeyondTheLimit());
        }
    }

    /** The units of the busiest second of a quiet minute. */
    private static double busiestSecond(LimitedFleet fleet) {
        double unitsMax = 0;
        for (int second = 0; second < 60; second++) {
            double before = units(fleet.counts());
            fleet.pass(Duration.ofSeconds(1));
            unitsMax = Math.max(unitsMax, units(fleet.counts()) - before);
        }
        return unitsMax;
    }

    private static double units(StoreCounts counts) {
        return counts.readUnits() + counts.writeUnits();
    }
}
