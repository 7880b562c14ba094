package dev.reservoir.bench.cluster;

import dev.reservoir.bench.Arguments;
import dev.reservoir.bench.report.Results;
import java.io.IOException;
import java.time.Duration;

/** Runs one case of the cluster budget for one side, in one world. */
public final class ClusterPart {
    private static final String CASES = "writes, fill, permits, permits-singly, crash, cost, large";
    private static final int WAITING = 200;
    private static final int CRASHES = 5;
    private static final int THOUSAND = 1_000;

    private ClusterPart() {}

    /**
     * Takes {@code --case}, {@code --side}, {@code --world} and {@code --rounds}, the number of crashes. The case
     * {@code cost} covers all sides on virtual time, and the case {@code large} covers Reservoir only; both take
     * {@code --write-price} and {@code --read-price}.
     */
    public static void run(Arguments arguments, Results results) throws IOException, InterruptedException {
        String name = arguments.text("case");
        if (name.equals("cost")) {
            cost(arguments, results);
        } else if (name.equals("large")) {
            large(arguments, results);
        } else {
            MeasuredSide side = MeasuredSide.byId(arguments.text("side"));
            try (World world = world(arguments.text("world", "local"))) {
                warmUp(world, side);
                run(name, side, world, results, arguments.number("rounds", CRASHES));
            }
        }
    }

    private static void run(String name, MeasuredSide side, World world, Results results, int rounds)
            throws IOException, InterruptedException {
        switch (name) {
            case "writes" -> new FillCase(world, results).run(side, 40, 100);
            case "fill" -> new FillCase(world, results).run(side, 40, 50);
            case "permits" -> new PermitsCase(world, results).run(side, WAITING, FleetPlan.OPENS_AT_ONCE);
            case "permits-singly" -> new PermitsCase(world, results).run(side, WAITING, 1);
            case "crash" -> new CrashCase(world, results).run(side, 40, 50, rounds);
            default -> throw new IllegalArgumentException("case = " + name + ", allowed: " + CASES);
        }
    }

    private static World world(String name) throws IOException {
        return switch (name) {
            case "local" -> new LocalWorld();
            case "model" -> new ModelWorld();
            default -> throw new IllegalArgumentException("world = " + name + ", allowed: local, model");
        };
    }

    /** Loads and compiles classes here and in DynamoDB Local, so that they do not delay the first calls of the case. */
    private static void warmUp(World world, MeasuredSide side) throws InterruptedException {
        for (int i = 0; i < 2; i++) {
            MeasuredFleet fleet =
                    new MeasuredFleet(world, FleetPlan.of(side, 25).unrationed());
            fleet.start(40);
            fleet.nanosUntilFull(world.nanos(), Duration.ofSeconds(20));
            fleet.leave(Duration.ofSeconds(20));
        }
    }

    private static void cost(Arguments arguments, Results results) throws IOException, InterruptedException {
        CostCase cost = new CostCase(results, Prices.of(arguments));
        for (int leaseSeconds : new int[] {60, 180}) {
            for (int processes : new int[] {10, 40, 200}) {
                cost.run(processes, 50, Duration.ofSeconds(leaseSeconds));
            }
        }
    }

    private static void large(Arguments arguments, Results results) throws IOException {
        LargeFleetCase large = new LargeFleetCase(results, Prices.of(arguments));
        large.start(THOUSAND);
        for (int processes : new int[] {10, 100, THOUSAND}) {
            large.idle(processes);
        }
        large.outage(THOUSAND);
    }
}
