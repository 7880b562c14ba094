package dev.reservoir.bench.cluster;

import dev.reservoir.bench.report.Results;
import dev.reservoir.bench.report.Unit;
import dev.reservoir.cluster.store.StoreCounts;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * All processes wait for permits all the time, because their reservoirs are far from full. Measures how many permits
 * are used each second after the burst, the load on the item that every process writes, and how evenly the permits are
 * spread over the processes.
 */
record PermitsCase(World world, Results results) {
    private static final int SECONDS = 20;

    /** Time after which the burst is used up. */
    private static final Duration BEFORE = Duration.ofSeconds(8);

    /** Size of each reservoir, so large that none is full at the end. */
    private static final int SIZE = 100;

    void run(MeasuredSide side, int processes, int opensAtOnce) throws IOException, InterruptedException {
        MeasuredFleet fleet = new MeasuredFleet(world, FleetPlan.of(side, SIZE).withOpensAtOnce(opensAtOnce));
        fleet.start(processes);
        world.pass(BEFORE);
        long[] before = opened(fleet);
        StoreCounts countsBefore = fleet.counts();
        long writesBefore = fleet.permitWrites.sum();
        long began = world.nanos();
        long busiest = 0;
        long last = writesBefore;
        for (int second = 1; second <= SECONDS; second++) {
            world.pass(Duration.ofNanos(Math.max(0, began + second * 1_000_000_000L - world.nanos())));
            long now = fleet.permitWrites.sum();
            busiest = Math.max(busiest, now - last);
            last = now;
        }
        double seconds = (world.nanos() - began) / 1e9;
        long[] after = opened(fleet);
        long all = Arrays.stream(after).sum() - Arrays.stream(before).sum();
        // Processes that the burst has filled do not wait for permits.
        long[] each = IntStream.range(0, processes)
                .filter(i -> before[i] < SIZE)
                .mapToLong(i -> after[i] - before[i])
                .sorted()
                .toArray();
        int waited = each.length;
        StoreCounts counts = fleet.counts();
        String waiting = opensAtOnce == 1 ? "1" : "up to " + opensAtOnce;
        results.sheet(
                        "cluster permits",
                        processes + " processes wait for " + waiting + " each, " + world.title(),
                        side.title)
                .higher("permits a second", Unit.PER_SECOND, all / seconds)
                .lower(
                        "refused connects",
                        Unit.COUNT,
                        fleet.database.rationed.counts().refused())
                .lower("writes a second of the permits' key", Unit.PER_SECOND, (last - writesBefore) / seconds)
                .lower("writes of the permits' key in the busiest second", Unit.COUNT, busiest)
                .lower(
                        "item writes a second, all",
                        Unit.PER_SECOND,
                        (counts.itemsWritten() - countsBefore.itemsWritten()) / seconds)
                .neutral("processes that wait", Unit.COUNT, waited)
                .higher("mean of these in 20 s", Unit.FACTOR, (double) all / waited)
                .higher("least of one", Unit.COUNT, each[0])
                .higher("a tenth have at most", Unit.COUNT, each[waited / 10])
                .higher("a tenth have at least", Unit.COUNT, each[waited - 1 - waited / 10])
                .neutral("most of one", Unit.COUNT, each[waited - 1])
                .lower(
                        "processes with none",
                        Unit.COUNT,
                        Arrays.stream(each).filter(n -> n == 0).count())
                .lower("calls that failed", Unit.COUNT, counts.errors() - countsBefore.errors());
    }

    private static long[] opened(MeasuredFleet fleet) {
        return fleet.processes.stream()
                .mapToLong(process -> fleet.database.rationed.opened(process.name))
                .toArray();
    }
}
