package dev.reservoir.sim.sweep;

import dev.reservoir.core.util.Text;
import dev.reservoir.sim.PoolKind;
import dev.reservoir.sim.Simulation;
import dev.reservoir.sim.result.Figures;
import dev.reservoir.sim.result.Outcome;
import dev.reservoir.sim.scenario.DurationText;
import dev.reservoir.sim.scenario.Scenario;
import dev.reservoir.sim.scenario.Scenario.Pool;
import dev.reservoir.sim.scenario.Scenario.Service;
import dev.reservoir.sim.sweep.Vary.Value;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs a scenario once for each combination of settings. Keeps only the figures of each run, so that many combinations
 * fit in memory.
 */
public final class Sweep {
    /** Largest number of combinations in a sweep. */
    public static final int MOST_COMBINATIONS = 10_000;

    /**
     * Largest number of runs at the same time. More would gain nothing on common machines, and each run holds its
     * samples in memory.
     */
    private static final int MOST_THREADS = 16;

    private final Scenario scenario;
    private final PoolKind pool;
    private final List<Vary> varied;

    /**
     * Creates a sweep without running it.
     *
     * @param varied the settings to vary, at least one; the first changes slowest
     * @throws IllegalArgumentException if the settings cannot be varied in this way; the message gives the reason
     */
    public Sweep(Scenario scenario, PoolKind pool, List<Vary> varied) {
        this.scenario = scenario;
        this.pool = pool;
        this.varied = List.copyOf(varied);
        if (varied.isEmpty()) {
            throw new IllegalArgumentException("nothing to vary; allowed: --vary KEY=VALUES, once for each setting");
        }
        Set<Knob> seen = new HashSet<>();
        for (Vary vary : varied) {
            if (!seen.add(vary.knob())) {
                throw new IllegalArgumentException("--vary " + vary.knob().key()
                        + " is given twice; allowed: once, with all its values separated by commas");
            }
            String meaningless = vary.knob().meaningless(scenario);
            if (meaningless != null) {
                throw new IllegalArgumentException("--vary " + meaningless);
            }
        }
        if (combinations() > MOST_COMBINATIONS) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "--vary gives %,d combinations; allowed: at most %,d",
                    combinations(),
                    MOST_COMBINATIONS));
        }
    }

    /** The number of combinations. */
    public long combinations() {
        long count = 1;
        for (Vary vary : varied) {
            // The cap keeps the product from overflowing, because a setting has at most 10,000 values.
            count = Math.min(count * vary.values().size(), Long.MAX_VALUE / Vary.MOST_VALUES);
        }
        return count;
    }

    /**
     * Runs all combinations, on all processors. Blocks until they have ended.
     *
     * @param done receives the number of combinations that have run, on any of the threads that run them
     */
    public SweepResult run(IntConsumer done) throws InterruptedException {
        List<List<Value>> all = product();
        int threads =
                Math.min(Math.min(Runtime.getRuntime().availableProcessors(), MOST_THREADS), Math.max(1, all.size()));
        ExecutorService workers = Executors.newFixedThreadPool(threads, Sweep::thread);
        AtomicInteger count = new AtomicInteger();
        try {
            List<Future<Combination>> running = new ArrayList<>();
            for (List<Value> values : all) {
                running.add(workers.submit(() -> {
                    Combination combination = one(values);
                    done.accept(count.incrementAndGet());
                    return combination;
                }));
            }
            List<Combination> combinations = new ArrayList<>();
            for (Future<Combination> future : running) {
                combinations.add(future.get());
            }
            return new SweepResult(scenario, pool, varied, List.copyOf(combinations));
        } catch (ExecutionException e) {
            throw new IllegalStateException("a combination failed: " + Text.oneLine(e), e);
        } finally {
            workers.shutdownNow();
        }
    }

    private static Thread thread(Runnable task) {
        Thread thread = new Thread(task, "sweep");
        thread.setDaemon(true);
        return thread;
    }

    private List<List<Value>> product() {
        List<List<Value>> all = List.of(List.of());
        for (Vary vary : varied) {
            List<List<Value>> longer = new ArrayList<>();
            for (List<Value> head : all) {
                for (Value value : vary.values()) {
                    List<Value> values = new ArrayList<>(head);
                    values.add(value);
                    longer.add(List.copyOf(values));
                }
            }
            all = longer;
        }
        return all;
    }

    private Combination one(List<Value> values) {
        Scenario changed = scenario;
        // In the order of the table. A setting that changes others, such as target, comes before them, so that an
        // explicit value wins.
        for (Knob knob : Knob.all()) {
            for (int i = 0; i < varied.size(); i++) {
                changed = varied.get(i).knob() == knob ? knob.set(changed, values.get(i)) : changed;
            }
        }
        String impossible = impossible(changed);
        if (impossible == null) {
            try {
                Outcome outcome = Simulation.run(changed, pool, Simulation.Progress.NONE);
                return new Combination(values, changed.expected(), Figures.of(outcome), outcome.verdicts(), null);
            } catch (IllegalArgumentException e) {
                impossible = Text.oneLine(e).replaceFirst("^[\\w.]+: ", "");
            }
        }
        return new Combination(values, changed.expected(), null, List.of(), impossible);
    }

    /** The reason why a scenario cannot run; null if it can. */
    static @Nullable String impossible(Scenario scenario) {
        long processes =
                scenario.services().stream().mapToLong(Service::instances).sum();
        long connections = scenario.services().stream()
                .mapToLong(s -> (long) s.instances() * s.pool().targetReady())
                .sum();
        if (processes > Scenario.PROCESSES_MAX || connections > Scenario.CONNECTIONS_MAX) {
            return processes + " processes with " + connections + " connections are more than " + Scenario.PROCESSES_MAX
                    + " and " + Scenario.CONNECTIONS_MAX;
        }
        for (Service service : scenario.services()) {
            Pool pool = service.pool();
            if (pool.targetReady() > pool.maxOpen()) {
                return "target " + pool.targetReady() + " is more than maxOpen " + pool.maxOpen();
            }
            if (pool.guardWindow().compareTo(pool.shortestLifetime()) >= 0) {
                return "guard " + DurationText.format(pool.guardWindow()) + " is not less than lifetime "
                        + DurationText.format(pool.shortestLifetime());
            }
        }
        return null;
    }
}
