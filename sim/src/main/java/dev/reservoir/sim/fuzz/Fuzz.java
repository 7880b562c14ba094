package dev.reservoir.sim.fuzz;

import dev.reservoir.core.util.Text;
import dev.reservoir.sim.PoolKind;
import dev.reservoir.sim.Simulation;
import dev.reservoir.sim.result.Outcome;
import dev.reservoir.sim.result.Outcome.Verdict;
import dev.reservoir.sim.scenario.Scenario;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Runs random scenarios, one for each seed, and finds the first that breaks a promise of the engine. */
public final class Fuzz {
    /** So many runs wait for each processor, so that a long one does not leave the others idle. */
    private static final int RUNS_PER_PROCESSOR = 8;

    private final Function<Scenario, @Nullable String> check;

    /** Checks the engine's promises. */
    public Fuzz() {
        this(Fuzz::broken);
    }

    /** Checks something else: how a scenario fails, in words that begin with a kind and a colon, or null if it does not. */
    public Fuzz(Function<Scenario, @Nullable String> check) {
        this.check = check;
    }

    /**
     * A seed that breaks a promise.
     *
     * @param seed which
     * @param how the promise and what happened
     * @param scenario what was run
     */
    public record Failure(long seed, String how, Scenario scenario) {}

    /** The scenario of a seed. */
    public static Scenario scenario(long seed) {
        return RandomScenario.of(seed);
    }

    /** How a scenario breaks a promise; null if it does not. Blocks until it has been run. */
    public static @Nullable String broken(Scenario scenario) {
        Outcome outcome;
        try {
            outcome = Simulation.run(scenario, PoolKind.RESERVOIR, Simulation.Progress.NONE);
        } catch (RuntimeException e) {
            return "the simulation itself failed: " + Text.oneLine(e);
        }
        return broken(outcome);
    }

    /** How an outcome shows a broken promise, or something else that was expected and does not hold; null if it does not. */
    public static @Nullable String broken(Outcome outcome) {
        return outcome.verdicts().stream()
                .filter(v -> !v.holds())
                .map(Verdict::found)
                .findFirst()
                .orElse(null);
    }

    /**
     * Runs all seeds from the first to the last, on all processors, until one fails. Blocks until then.
     *
     * @param done hears how many have been run
     * @return the first that fails, in the order of the seeds; null if none does
     */
    public @Nullable Failure run(long first, long last, LongConsumer done) throws InterruptedException {
        int processors = Runtime.getRuntime().availableProcessors();
        ExecutorService workers = Executors.newFixedThreadPool(processors, Fuzz::worker);
        try {
            Queue<Future<@Nullable Failure>> running = new ArrayDeque<>();
            long next = first;
            for (long over = 0; over <= last - first; over++) {
                while (running.size() < RUNS_PER_PROCESSOR * processors && next <= last) {
                    long seed = next++;
                    running.add(workers.submit(() -> one(seed)));
                }
                Failure failure = result(running.remove());
                if (failure != null) {
                    return failure;
                }
                done.accept(over + 1);
            }
            return null;
        } finally {
            workers.shutdownNow();
        }
    }

    /** Those that still run after a failure was found keep nobody waiting. */
    private static Thread worker(Runnable task) {
        Thread thread = new Thread(task, "reservoir-fuzz");
        thread.setDaemon(true);
        return thread;
    }

    private static @Nullable Failure result(Future<@Nullable Failure> run) throws InterruptedException {
        try {
            return run.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("bug: a run ended with an error", e.getCause());
        }
    }

    private @Nullable Failure one(long seed) {
        Scenario scenario = RandomScenario.of(seed);
        String how = check.apply(scenario);
        return how == null ? null : new Failure(seed, how, scenario);
    }

    /** The smallest scenario found that breaks the same promise. Blocks while it runs candidates, some hundred at most. */
    public Scenario shrunk(Failure failure) {
        String kind = kind(failure.how());
        return Shrink.shrink(failure.scenario(), candidate -> {
            String how = check.apply(candidate);
            return how != null && kind(how).equals(kind);
        });
    }

    /** Which promise: another one that a smaller scenario breaks is another failure. */
    private static String kind(String how) {
        return how.substring(0, Math.max(0, how.indexOf(':')));
    }
}
