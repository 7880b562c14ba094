package dev.reservoir.sim.world;

import dev.reservoir.core.util.Text;
import dev.reservoir.sim.scenario.Latency;
import dev.reservoir.sim.scenario.Latency.Shape;
import dev.reservoir.sim.scenario.Scenario;
import dev.reservoir.sim.scenario.Scenario.FaultKind;
import dev.reservoir.sim.scenario.Scenario.Sharing;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Checks the promises of the cluster budget to the fleet as a whole. The stored counts must always be consistent,
 * whatever fault occurs. Two promises are checked only if every process can know its share: no process uses more than
 * its share, and the fleet stays within its rate. Otherwise processes continue with a share that they consider safe.
 */
final class BudgetPromises {
    /**
     * Longest time after its due time at which a permit may be used, plus a margin for the connect to reach the
     * database.
     */
    private static final double LATE_SECONDS = 1.2;

    /** The same for processes that know the time only from the store's answers, which are accurate to a second. */
    private static final double LATE_BY_ANSWERS_SECONDS = 3.5;

    private static final Duration PROMPT = Duration.ofMillis(200);

    /** Longest lease time at which processes read the store every few seconds. */
    private static final Duration READS_OFTEN = Duration.ofSeconds(60);

    private final boolean knowsShares;
    private final boolean leavesNothing;
    private final double mostBeyondRate;

    BudgetPromises(Scenario scenario) {
        Scenario.Coordinator coordinator = scenario.coordinator();
        boolean throttled = !isNone(scenario, FaultKind.WRITES_THROTTLED);
        boolean answers = coordinator.loseAnswers() == 0
                && isNone(scenario, FaultKind.COORDINATOR_OUTAGE)
                // A process that reads often knows that the coordinator answers, and does not fall back to a local
                // share.
                && (!throttled || coordinator.leaseTime().compareTo(READS_OFTEN) <= 0);
        boolean prompt = isPrompt(coordinator.latency());
        this.knowsShares = answers && prompt && coordinator.leaseLimit() > 0 && isNone(scenario, FaultKind.HANG);
        this.leavesNothing = answers && prompt && coordinator.conflicts() == 0 && !throttled;
        boolean atOnce = scenario.tokens().lifetime().isZero();
        boolean rationed = scenario.limiter().sharing() == Sharing.SHARED && answers && atOnce;
        double late = coordinator.clockSkew().isZero() ? LATE_SECONDS : LATE_BY_ANSWERS_SECONDS;
        this.mostBeyondRate = rationed
                ? scenario.limiter().burst() + late * scenario.limiter().perSecond() + 1
                : Double.POSITIVE_INFINITY;
    }

    private static boolean isNone(Scenario scenario, FaultKind kind) {
        return scenario.faults().stream().noneMatch(fault -> fault.kind() == kind);
    }

    private static boolean isPrompt(Latency latency) {
        boolean bounded = latency.shape() == Shape.FIXED || latency.shape() == Shape.UNIFORM;
        return bounded && latency.second().compareTo(PROMPT) <= 0;
    }

    /** The promise that is broken now, in words that begin with a kind and a colon; null if none is. */
    @Nullable
    String wrong(Fleet fleet) {
        String counts = fleet.coordinator.wrong();
        if (counts != null) {
            return "counts: " + counts;
        }
        double beyond = fleet.database.mostBeyondRate();
        return beyond <= mostBeyondRate
                ? null
                : String.format(
                        Locale.ROOT,
                        "rate: %.0f connects beyond %s, burst %d",
                        beyond,
                        Text.perSecond(fleet.scenario.limiter().perSecond()),
                        fleet.scenario.limiter().burst());
    }

    /** The mistake in the leases of a process; null if there is none. */
    @Nullable
    String wrong(FleetCoordinator coordinator, SimulatedProcess process) {
        if (!knowsShares || process.isGone()) {
            return null;
        }
        int share = coordinator.shareOf(process);
        int used = process.leases.size();
        return used <= share ? null : "share: " + process.name + " uses " + used + " leases of " + share;
    }

    /** The mistake that remains some time after every live process has ended; null if there is none. */
    @Nullable
    String wrongAtTheEnd(FleetCoordinator coordinator) {
        List<String> left = coordinator.leftBehind();
        return !leavesNothing || left.isEmpty() ? null : "share: left behind: " + String.join(", ", left);
    }
}
