package dev.reservoir.bench.cluster;

import dev.reservoir.bench.Arguments;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Runs one case of the cluster budget for one side, in one world. Appends its figures to a file and writes the table of
 * all figures next to that file.
 */
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
    public static void run(Arguments arguments) throws IOException, InterruptedException {
        FigureFile figures = new FigureFile(Path.of(arguments.text("out")), System.out);
        String name = arguments.text("case");
        if (name.equals("cost")) {
            cost(arguments, figures);
        } else if (name.equals("large")) {
            large(arguments, figures);
        } else {
            MeasuredSide side = MeasuredSide.byId(arguments.text("side"));
            try (World world = world(arguments.text("world", "local"))) {
                warmUp(world, side);
                run(name, side, world, figures, arguments.number("rounds", CRASHES));
            }
        }
        figures.writeTable();
    }

    private static void run(String name, MeasuredSide side, World world, FigureFile figures, int rounds)
            throws IOException, InterruptedException {
        switch (name) {
            case "writes" -> new FillCase(world, figures).run(side, 40, 100);
            case "fill" -> new FillCase(world, figures).run(side, 40, 50);
            case "permits" -> new PermitsCase(world, figures).run(side, WAITING, FleetPlan.OPENS_AT_ONCE);
            case "permits-singly" -> new PermitsCase(world, figures).run(side, WAITING, 1);
            case "crash" -> new CrashCase(world, figures).run(side, 40, 50, rounds);
            default -> throw new IllegalArgumentException("case = " + name + ", allowed: " + CASES);
        }
    }

    private static World world(String name) throws IOException {
        return switch (name) {
            case "local" -> LocalWorld.start();
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

    private static void cost(Arguments arguments, FigureFile figures) throws IOException, InterruptedException {
        CostCase cost = new CostCase(figures, writePrice(arguments), readPrice(arguments));
        for (int leaseSeconds : new int[] {60, 180}) {
            for (int processes : new int[] {10, 40, 200}) {
                cost.run(processes, 50, Duration.ofSeconds(leaseSeconds));
            }
        }
    }

    private static void large(Arguments arguments, FigureFile figures) throws IOException {
        LargeFleetCase large = new LargeFleetCase(figures, writePrice(arguments), readPrice(arguments));
        large.start(THOUSAND);
        for (int processes : new int[] {10, 100, THOUSAND}) {
            large.idle(processes);
        }
        large.outage(THOUSAND);
    }

    /** On-demand list price of us-east-1, in dollars for a million units. */
    private static double writePrice(Arguments arguments) {
        return Double.parseDouble(arguments.text("write-price", "0.625"));
    }

    private static double readPrice(Arguments arguments) {
        return Double.parseDouble(arguments.text("read-price", "0.125"));
    }
}
