package dev.reservoir.sim.result;

import dev.reservoir.sim.PoolKind;
import dev.reservoir.sim.scenario.Scenario;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a simulation answers. All of it but {@link #tookNanos} follows from the scenario, its seed and the pool.
 *
 * @param scenario what was asked
 * @param pool which pool the processes used
 * @param samples by time, then by service in the scenario's order
 * @param seconds the fleet and the database, second by second
 * @param marks what happened when: faults, convergence, broken promises
 * @param waits of all checkouts
 * @param ages how old connections were when the database saw the last of them, in 40 equal steps up to the longest lifetime
 * @param ageStepNanos how wide a step is
 * @param smallestUsableShare the smallest share of its target that a service could use at any moment, each process counted
 *     from when it first had its target until it stopped or died; null if none ever had it
 * @param budget what the processes asked of the cluster budget; null if they had none
 * @param verdicts one for each thing that was expected
 * @param events how many events were run
 * @param tookNanos real time
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
        @Nullable Budget budget,
        List<Verdict> verdicts,
        long events,
        long tookNanos) {

    /** Whether everything held that was expected. */
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
     * @param connects connects begun
     * @param refusedByRate connects refused with 53400
     * @param refusedByCap connects refused with 53300
     * @param closures connections that ended
     * @param openMost the most connections open at once
     */
    public record Second(int connects, int refusedByRate, int refusedByCap, int closures, int openMost) {}

    /**
     * Something that happened.
     *
     * @param atNanos since the beginning
     * @param kind what sort of thing: fault, recovery, converged, promise
     * @param text in words
     */
    public record Mark(long atNanos, String kind, String text) {}

    /**
     * The waits of all checkouts, those included that did not wait.
     *
     * @param count how many
     */
    public record Waits(long count, long p50Nanos, long p99Nanos, long p999Nanos, long maxNanos) {}

    /**
     * What the processes asked of the cluster budget, all together.
     *
     * @param permits permits granted
     * @param permitsDenied times there was no slot within reach
     * @param permitsFailed requests for a permit that ended without one
     * @param permitsGivenBack slots that were reserved, not needed and given back
     * @param permitsLapsed slots that were reserved and not used
     * @param leasesDenied times there was no lease to be had
     * @param declaredDead times a process was taken for dead that was not
     * @param leasesTakenBack leases of processes taken for dead
     * @param calls calls to the store
     * @param itemsRead items that were asked for
     * @param itemsWritten items that were written, or were to be
     */
    public record Budget(
            long permits,
            long permitsDenied,
            long permitsFailed,
            long permitsGivenBack,
            long permitsLapsed,
            long leasesDenied,
            long declaredDead,
            long leasesTakenBack,
            long calls,
            long itemsRead,
            long itemsWritten) {

        /** Nothing yet. */
        public static final Budget NONE = new Budget(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

        /** Both together. */
        public Budget plus(Budget other) {
            return new Budget(
                    permits + other.permits,
                    permitsDenied + other.permitsDenied,
                    permitsFailed + other.permitsFailed,
                    permitsGivenBack + other.permitsGivenBack,
                    permitsLapsed + other.permitsLapsed,
                    leasesDenied + other.leasesDenied,
                    declaredDead + other.declaredDead,
                    leasesTakenBack + other.leasesTakenBack,
                    calls + other.calls,
                    itemsRead + other.itemsRead,
                    itemsWritten + other.itemsWritten);
        }
    }

    /**
     * Whether something held.
     *
     * @param name the key in the scenario
     * @param holds whether it did
     * @param expected what was expected, in words
     * @param found the figure that decided it, in words
     */
    public record Verdict(String name, boolean holds, String expected, String found) {}
}
