package dev.reservoir.sim.world;

import dev.reservoir.core.LocalPermits;
import dev.reservoir.core.spi.Leases;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.sim.result.Outcome;
import dev.reservoir.sim.scenario.Scenario;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Who counts permits and leases for the whole fleet: a service that answers after a while and can be away. */
interface FleetCoordinator {

    /** A process begins. */
    Part partOf(SimulatedProcess process, RandomGenerator random);

    void goAway();

    void comeBack();

    /** Whether it refuses every write from now on as one too many, while reads are answered. */
    void throttleWrites(boolean throttled);

    /** Has each service know how many leases it has, and looks at the count. */
    void countLeases(List<ServiceCounts> services);

    /** What is wrong with the count of leases, or was at an earlier look; null if nothing. */
    @Nullable
    String wrong();

    /**
     * Whether leases and connections go together now.
     *
     * @param everyone all processes of which something is left
     * @param calmSinceNanos since when nothing has gone wrong
     */
    Fleet.Match match(List<SimulatedProcess> everyone, long calmSinceNanos);

    /** How many leases a process may have now, as the coordinator has written it down. */
    int shareOf(SimulatedProcess process);

    /** Processes that have closed in order, and of which something is still written down. */
    List<String> leftBehind();

    /** What the processes asked of the coordinator, and what they got; null if that is not counted. */
    Outcome.@Nullable Budget figures();

    /** What one process has of what the fleet shares. */
    interface Part {
        Permits permits();

        /** Null if connections are not counted. */
        @Nullable
        Leases leases();

        /** The process has closed its pool: everything is given back. */
        void leave();

        /** The process has died. */
        void died();
    }

    /** Permits that are not the coordinator's; null if they are. */
    static @Nullable Permits ofItsOwn(Scenario.Limiter limiter, SimulatedProcess process) {
        return switch (limiter.sharing()) {
            case SHARED -> null;
            case LOCAL -> new OwnPermits(new LocalPermits(limiter.perSecond(), limiter.burst(), process.time), process);
            case NONE -> LocalPermits.unlimited();
        };
    }
}
