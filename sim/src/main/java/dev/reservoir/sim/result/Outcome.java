package dev.reservoir.sim.result;

import dev.reservoir.sim.PoolKind;
import dev.reservoir.sim.scenario.Scenario;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a simulation. All of it except {@link #tookNanos} is determined by the scenario, its seed and the pool.
 *
 * @param scenario the scenario that ran
 * @param pool the pool that the processes used
 * @param samples the samples, by time, then by service in the scenario's order
 * @param seconds the numbers of the fleet and the database for each second
 * @param marks events with their time: faults, convergence, broken promises
 * @param waits the waits of all checkouts
 * @param ages the ages at which connections ended for the database, in 40 equal steps up to the longest lifetime
 * @param ageStepNanos the width of a step
 * @param smallestUsableShare the smallest share of its target that a service could use at any moment. Each process
 *     counts from the time when it first had its target until it stopped or died. Null if no process ever had its
 *     target
 * @param budget the processes' use of the cluster budget; null if they had none
 * @param verdicts one verdict for each expectation
 * @param events the number of events that ran
 * @param tookNanos the real time that the run took
 */
public record Outcome(
        Scenario scenario,
        PoolKind pool,
        List<Sample> samples,
        List<Second> seconds,
        List<Mark> marks,
        Waits waits,
        List<Long> ages,
        long ageStepNanos,
        @Nullable Double smallestUsableShare,
        @Nullable Counters<BudgetUse> budget,
        List<Verdict> verdicts,
        long events,
        long tookNanos) {

    /** Whether all expectations hold. */
    public boolean passed() {
        return verdicts.stream().allMatch(Verdict::holds);
    }

    /** The last sample of each service. */
    public List<Sample> last() {
        int services = scenario.services().size();
        return samples.subList(Math.max(0, samples.size() - services), samples.size());
    }

    /**
     * One whole second.
     *
     * @param connects connects that were started
     * @param refusedByRate connects refused with 53400
     * @param refusedByCap connects refused with 53300
     * @param closures connections that ended
     * @param openMost the most connections open at the same time
     */
    public record Second(int connects, int refusedByRate, int refusedByCap, int closures, int openMost) {}

    /**
     * An event worth showing.
     *
     * @param atNanos time since the beginning
     * @param kind the sort of event: fault, recovery, converged, promise
     * @param text a description
     */
    public record Mark(long atNanos, String kind, String text) {}

    /**
     * The waits of all checkouts, including those that did not wait.
     *
     * @param count the number of checkouts
     */
    public record Waits(long count, long p50Nanos, long p99Nanos, long p999Nanos, long maxNanos) {}

    /** The uses of the cluster budget that a simulation counts, over all processes. */
    public enum BudgetUse {
        /** Permits granted. */
        PERMITS,
        /** Times that the store had no slot within reach. */
        PERMITS_DENIED,
        /** Requests for a permit that ended without one. */
        PERMITS_FAILED,
        /** Slots that were reserved, not needed and given back. */
        PERMITS_GIVEN_BACK,
        /** Slots that were reserved and not used. */
        PERMITS_LAPSED,
        /** Times that no lease was free. */
        LEASES_DENIED,
        /** Times that a live process was considered dead. */
        DECLARED_DEAD,
        /** Leases taken back from processes considered dead. */
        LEASES_TAKEN_BACK,
        /** Calls to the store. */
        CALLS,
        /** Items requested from the store. */
        ITEMS_READ,
        /** Items that calls wrote or tried to write. */
        ITEMS_WRITTEN
    }

    /**
     * Whether one expectation holds.
     *
     * @param name the key in the scenario
     * @param holds whether the expectation holds
     * @param expected the expectation, in words
     * @param found the figure that decided it, in words
     */
    public record Verdict(String name, boolean holds, String expected, String found) {
        /** The finding and the expectation, in one line. */
        public String said() {
            return name + ": " + found + " (expected " + expected + ")";
        }
    }
}
