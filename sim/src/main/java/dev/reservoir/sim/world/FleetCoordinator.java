package dev.reservoir.sim.world;

import dev.reservoir.core.LocalPermits;
import dev.reservoir.core.spi.Leases;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.sim.result.Counters;
import dev.reservoir.sim.result.Outcome.BudgetUse;
import dev.reservoir.sim.scenario.Scenario;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A service that counts permits and leases for the whole fleet. It answers after a latency and can be away. Its methods
 * never block.
 */
interface FleetCoordinator {

    /** Registers a process that starts, and returns its access to the shared permits and leases. */
    Part partOf(SimulatedProcess process, RandomGenerator random);

    void goAway();

    void comeBack();

    /** Starts or ends a period in which the coordinator throttles every write and still answers reads. */
    void throttleWrites(boolean throttled);

    /** Updates the number of leases of each service, and checks the counts. */
    default void countLeases(List<ServiceCounts> services) {}

    /** The mistake in the count of leases, now or at an earlier check; null if there is none. */
    default @Nullable String wrong() {
        return null;
    }

    /**
     * Whether leases and connections match now.
     *
     * @param everyone all processes of which something is left
     * @param calmSinceNanos time since which there has been no fault
     */
    Fleet.Match match(List<SimulatedProcess> everyone, long calmSinceNanos);

    /** The number of leases that a process may have now, according to the coordinator's records. */
    int shareOf(SimulatedProcess process);

    /** The processes that have closed in order but still have a record. */
    default List<String> leftBehind() {
        return List.of();
    }

    /** The requests of the processes to the coordinator and their results; null if they are not counted. */
    default @Nullable Counters<BudgetUse> figures() {
        return null;
    }

    /**
     * The access of one process to the shared permits and leases.
     *
     * @param leases the leases of this process; null if connections are not counted
     * @param leave runs when the process has closed its pool; the process gives everything back
     * @param died runs when the process has died
     */
    record Part(Permits permits, @Nullable Leases leases, Runnable leave, Runnable died) {}

    /** Permits that do not come from the coordinator; null if the coordinator grants them. */
    static @Nullable Permits ofItsOwn(Scenario.Limiter limiter, SimulatedProcess process) {
        return switch (limiter.sharing()) {
            case SHARED -> null;
            case LOCAL ->
                CountedPermits.atOnce(new LocalPermits(limiter.perSecond(), limiter.burst(), process.time), process);
            case NONE -> CountedPermits.atOnce(LocalPermits.unlimited(), process);
        };
    }
}
