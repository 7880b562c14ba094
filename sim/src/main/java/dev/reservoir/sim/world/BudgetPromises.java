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
 * Checks what the cluster budget promises to the fleet as a whole. The books are right always, whatever goes wrong. That no
 * process has more than its share, and the fleet no more than its rate, is asked only where nothing keeps processes from
 * knowing what is theirs: then they go on with what seems safe to them.
 */
final class BudgetPromises {
    /** For so long after it was due a permit can be used, and a little more for its way. */
    private static final double LATE_SECONDS = 1.2;

    /** The same among processes that know the time from the answers alone, to a second. */
    private static final double LATE_BY_ANSWERS_SECONDS = 3.5;

    private static final Duration PROMPT = Duration.ofMillis(200);

    /** Up to this lease time processes read every few seconds. */
    private static final Duration READS_OFTEN = Duration.ofSeconds(60);

    private final Fleet fleet;
    private final boolean knowsShares;
    private final boolean leavesNothing;
    private final double mostBeyondRate;

    BudgetPromises(Fleet fleet, Scenario scenario) {
        this.fleet = fleet;
        Scenario.Coordinator coordinator = scenario.coordinator();
        boolean throttled = !isNone(scenario, FaultKind.WRITES_THROTTLED);
        boolean answers = coordinator.loseAnswers() == 0
                && isNone(scenario, FaultKind.COORDINATOR_OUTAGE)
                // Whoever reads often enough knows that the coordinator is there, and does not go on alone.
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

    /** What is wrong now, in words that begin with a kind and a colon; null if nothing is. */
    @Nullable
    String wrong() {
        String books = fleet.coordinator.wrong();
        if (books != null) {
            return "books: " + books;
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

    /** What is wrong with the leases of a process. */
    @Nullable
    String wrong(SimulatedProcess process) {
        if (!knowsShares || process.isGone()) {
            return null;
        }
        int share = fleet.coordinator.shareOf(process);
        int used = process.leases.size();
        return used <= share ? null : "share: " + process.name + " uses " + used + " leases of " + share;
    }

    /** What is wrong when every process that lives has ended, a while ago. */
    @Nullable
    String wrongAtTheEnd() {
        List<String> left = fleet.coordinator.leftBehind();
        return !leavesNothing || left.isEmpty() ? null : "share: left behind: " + String.join(", ", left);
    }
}
