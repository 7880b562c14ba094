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

/** Runs random scenarios, one for each seed, and finds the first one that breaks a promise of the engine. */
public final class Fuzz {
    /**
     * Number of runs that are submitted ahead for each processor. With several, one long run does not leave other
     * processors idle.
     */
    private static final int RUNS_PER_PROCESSOR = 8;

    private final Function<Scenario, @Nullable String> check;

    /** Creates a fuzzer that checks the engine's promises. */
    public Fuzz() {
        this(Fuzz::broken);
    }

    /**
     * Creates a fuzzer with another check.
     *
     * @param check says how a scenario fails, in words that begin with a kind and a colon; null if it does not fail
     */
    public Fuzz(Function<Scenario, @Nullable String> check) {
        this.check = check;
    }

    /**
     * A seed whose scenario breaks a promise.
     *
     * @param seed the seed
     * @param how the promise and what happened
     * @param scenario the scenario that ran
     */
    public record Failure(long seed, String how, Scenario scenario) {}

    /** The scenario that belongs to a seed. */
    public static Scenario scenario(long seed) {
        return RandomScenario.of(seed);
    }

    /** Runs a scenario and says how it breaks a promise; null if it does not. Blocks until the run has ended. */
    public static @Nullable String broken(Scenario scenario) {
        Outcome outcome;
        try {
            outcome = Simulation.run(scenario, PoolKind.RESERVOIR, Simulation.Progress.NONE);
        } catch (RuntimeException e) {
            return "the simulation itself failed: " + Text.oneLine(e);
        }
        return broken(outcome);
    }

    /**
     * Says how an outcome shows a broken promise or another expectation that does not hold; null if everything holds.
     */
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
     * @param done receives the number of runs that have ended
     * @return the first failure in the order of the seeds; null if no seed fails
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

    /** Creates a daemon thread, so that runs that continue after a failure do not keep the program alive. */
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

    /**
     * The smallest scenario found that breaks the same promise. Blocks while it runs candidates, at most a few hundred.
     */
    public Scenario shrunk(Failure failure) {
        String kind = kind(failure.how());
        return Shrink.shrink(failure.scenario(), candidate -> {
            String how = check.apply(candidate);
            return how != null && kind(how).equals(kind);
        });
    }

    /** The promise that was broken. A smaller scenario that breaks another promise is a different failure. */
    private static String kind(String how) {
        return how.substring(0, Math.max(0, how.indexOf(':')));
    }
}
