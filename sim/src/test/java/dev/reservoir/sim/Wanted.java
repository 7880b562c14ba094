package dev.reservoir.sim;

import dev.reservoir.sim.scenario.Scenario.Expected;
import dev.reservoir.sim.scenario.ScenarioKeys;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What a {@link SmallScenario} expects: nothing, unless it is set. */
public final class Wanted {
    public @Nullable Integer maxConnectsPerSec;
    public @Nullable Duration convergeWithin;
    public @Nullable Duration stableFor;
    public @Nullable Integer maxClosurePerSec;
    public boolean zeroEmptyEvents;
    public @Nullable Duration maxWaitP999;
    public @Nullable Duration maxWait;
    public @Nullable Long maxTimeouts;
    public @Nullable Double minUsableShare;
    public @Nullable Long maxRefusedConnects;
    public @Nullable Integer maxOpenConnections;
    public boolean leasesMatchConnections;
    public boolean promisesKept;

    Expected build() {
        return ScenarioKeys.defaults(Expected.class)
                .with(ScenarioKeys.MAX_CONNECTS_PER_SEC, maxConnectsPerSec)
                .with(ScenarioKeys.CONVERGE_WITHIN, convergeWithin)
                .with(ScenarioKeys.STABLE_FOR, stableFor)
                .with(ScenarioKeys.MAX_CLOSURE_PER_SEC, maxClosurePerSec)
                .with(ScenarioKeys.ZERO_EMPTY_EVENTS, zeroEmptyEvents)
                .with(ScenarioKeys.MAX_WAIT_P999, maxWaitP999)
                .with(ScenarioKeys.MAX_WAIT, maxWait)
                .with(ScenarioKeys.MAX_TIMEOUTS, maxTimeouts)
                .with(ScenarioKeys.MIN_USABLE_SHARE, minUsableShare)
                .with(ScenarioKeys.MAX_REFUSED_CONNECTS, maxRefusedConnects)
                .with(ScenarioKeys.MAX_OPEN_CONNECTIONS, maxOpenConnections)
                .with(ScenarioKeys.LEASES_MATCH_CONNECTIONS, leasesMatchConnections)
                .with(ScenarioKeys.PROMISES_KEPT, promisesKept);
    }
}
