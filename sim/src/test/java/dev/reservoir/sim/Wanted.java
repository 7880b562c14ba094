package dev.reservoir.sim;

import dev.reservoir.sim.scenario.Scenario.Expected;
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
        return new Expected(
                maxConnectsPerSec,
                convergeWithin,
                stableFor,
                maxClosurePerSec,
                zeroEmptyEvents,
                maxWaitP999,
                maxWait,
                maxTimeouts,
                minUsableShare,
                maxRefusedConnects,
                maxOpenConnections,
                leasesMatchConnections,
                promisesKept);
    }
}
