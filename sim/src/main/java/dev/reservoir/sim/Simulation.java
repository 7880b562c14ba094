package dev.reservoir.sim;

import dev.reservoir.sim.result.Counters;
import dev.reservoir.sim.result.Outcome;
import dev.reservoir.sim.result.Outcome.Mark;
import dev.reservoir.sim.result.Outcome.Verdict;
import dev.reservoir.sim.result.Outcome.Waits;
import dev.reservoir.sim.result.Sample;
import dev.reservoir.sim.scenario.Scenario;
import dev.reservoir.sim.world.Fleet;
import dev.reservoir.sim.world.Promises;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs a scenario. Every process of a simulated fleet runs the production engine, single-threaded, event by event, on
 * virtual time. The same scenario, seed and pool give the same outcome on every machine. Never opens a network
 * connection and never sleeps.
 */
public final class Simulation {
    private final Scenario scenario;
    private final PoolKind pool;
    private final Progress progress;

    private Simulation(Scenario scenario, PoolKind pool, Progress progress) {
        this.scenario = scenario;
        this.pool = pool;
        this.progress = progress;
    }

    /** Receives the progress of a simulation. */
    @FunctionalInterface
    public interface Progress {
        /** Ignores all progress. */
        Progress NONE = (simulatedNanos, ofNanos) -> {};

        /** Reports how much of the simulated time has passed. The simulation calls it about once for each sample. */
        void at(long simulatedNanos, long ofNanos);
    }

    /** Runs a scenario to its end. Blocks until then and keeps one processor busy. */
    public static Outcome run(Scenario scenario, PoolKind pool, Progress progress) {
        return new Simulation(scenario, pool, progress).run();
    }

    private Outcome run() {
        long begun = System.nanoTime();
        boolean checked = scenario.expected().promisesKept() && pool == PoolKind.RESERVOIR;
        Promises promises = checked ? new Promises(scenario) : null;
        Fleet fleet = new Fleet(scenario, pool, promises);
        List<Sample> samples = new ArrayList<>();
        long events = 0;
        long end = scenario.duration().toNanos();
        long every = scenario.sampleEvery().toNanos();
        for (long until = 0; until < end && !isBroken(promises); ) {
            until = Math.min(end, until + every);
            events += runTo(fleet, until, promises);
            samples.addAll(fleet.sample());
            progress.at(until, end);
        }
        List<Mark> marks = new ArrayList<>(fleet.marks());
        long convergedAt = fleet.convergedAtNanos();
        if (convergedAt >= 0) {
            marks.add(new Mark(convergedAt, "converged", "every service has its target"));
        }
        List<Outcome.Second> seconds = fleet.seconds();
        List<Verdict> verdicts = new ArrayList<>(new Verdicts(scenario, fleet, seconds, samples).judge(convergedAt));
        Waits waits = fleet.waits();
        List<Long> ages = fleet.ages();
        Fleet.Smallest smallest = fleet.smallestShare();
        Counters<Outcome.BudgetUse> budget = fleet.budget();
        if (promises != null) {
            promises.end(fleet);
            String broken = promises.broken();
            if (broken != null) {
                marks.add(new Mark(promises.brokenAtNanos(), "promise", broken));
            }
            verdicts.add(Verdicts.promises(broken));
        }
        marks.sort(Comparator.comparingLong(Mark::atNanos));
        return new Outcome(
                scenario,
                pool,
                List.copyOf(samples),
                seconds,
                List.copyOf(marks),
                waits,
                ages,
                fleet.ageStepNanos(),
                smallest == null ? null : smallest.share(),
                budget,
                List.copyOf(verdicts),
                events,
                System.nanoTime() - begun);
    }

    private static boolean isBroken(@Nullable Promises promises) {
        return promises != null && promises.broken() != null;
    }

    /**
     * Runs all events that are due by {@code until}. Stops at the first broken promise, because later events say
     * nothing about the engine.
     */
    private static long runTo(Fleet fleet, long until, @Nullable Promises promises) {
        long events = 0;
        while (fleet.step(until)) {
            events++;
            if (promises != null) {
                promises.check(fleet);
                if (promises.broken() != null) {
                    return events;
                }
            }
        }
        fleet.moveTo(until);
        return events;
    }
}
