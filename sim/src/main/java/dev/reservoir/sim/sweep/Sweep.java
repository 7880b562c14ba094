package dev.reservoir.sim.sweep;

import dev.reservoir.core.util.Text;
import dev.reservoir.sim.PoolKind;
import dev.reservoir.sim.Simulation;
import dev.reservoir.sim.result.Figures;
import dev.reservoir.sim.result.Outcome;
import dev.reservoir.sim.scenario.Scenario;
import dev.reservoir.sim.sweep.Vary.Value;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

/** Runs a scenario once for each combination of settings. Keeps the figures only, so that many combinations fit. */
public final class Sweep {
    /** How many combinations a sweep may have. */
    public static final int MOST_COMBINATIONS = 10_000;

    /** More at once would gain nothing on common machines, and each holds its samples while it runs. */
    private static final int MOST_THREADS = 16;

    private final Scenario scenario;
    private final PoolKind pool;
    private final List<Vary> varied;

    /**
     * A sweep that has not begun.
     *
     * @param varied the settings to vary, the first of them changing slowest; at least one
     * @throws IllegalArgumentException if they cannot be varied so; the message says why
     */
    public Sweep(Scenario scenario, PoolKind pool, List<Vary> varied) {
        this.scenario = scenario;
        this.pool = pool;
        this.varied = List.copyOf(varied);
        if (varied.isEmpty()) {
            throw new IllegalArgumentException("nothing to vary; allowed: --vary KEY=VALUES, once for each setting");
        }
        Set<Knob> seen = EnumSet.noneOf(Knob.class);
        for (Vary vary : varied) {
            if (!seen.add(vary.knob())) {
                throw new IllegalArgumentException("--vary " + vary.knob().key()
                        + " is there twice; allowed: once, with all its values separated by commas");
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

    /** How many combinations there are. */
    public long combinations() {
        long count = 1;
        for (Vary vary : varied) {
            // Stays far from overflow: each setting has 10,000 values at most, and there are 12 settings.
            count = Math.min(count * vary.values().size(), Long.MAX_VALUE / Vary.MOST_VALUES);
        }
        return count;
    }

    /**
     * Runs all combinations, on all processors. Blocks until then.
     *
     * @param done hears how many have been run, from any of the threads that run them
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
        // In the knobs' own order: what follows from one is overruled by the other, and not the other way round.
        for (Knob knob : Knob.values()) {
            for (int i = 0; i < varied.size(); i++) {
                changed = varied.get(i).knob() == knob ? knob.set(changed, values.get(i)) : changed;
            }
        }
        String impossible = ScenarioChanges.impossible(changed);
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
}
