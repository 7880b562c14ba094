package dev.reservoir.sim.scenario;

import dev.reservoir.sim.scenario.Scenario.Coordinator;
import dev.reservoir.sim.scenario.Scenario.Expected;
import dev.reservoir.sim.scenario.Scenario.Limiter;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Reads the expectations of a scenario. */
final class ExpectedReader {
    private final Fields top;

    ExpectedReader(Fields top) {
        this.top = top;
    }

    Expected read(Limiter limiter, Coordinator coordinator) {
        boolean leases = top.yesNo("assertLeasesMatchConnections", false);
        if (leases && coordinator.leaseLimit() == 0) {
            top.refuse(
                    top.at("assertLeasesMatchConnections"),
                    "assertLeasesMatchConnections",
                    "true",
                    "false, or true with a coordinator that has a leaseLimit");
        }
        Duration within = top.durationOrNone("assertConvergeWithin", Defaults.CONVERGE_WITHIN, Fields.TINY);
        return new Expected(
                count("assertMaxConnectsPerSec", Defaults.maxConnectsPerSec(limiter)),
                within,
                top.durationOrNone("assertStableFor", Defaults.stableFor(within), Fields.ZERO),
                count("assertMaxClosurePerSec", Defaults.MAX_CLOSURE_PER_SEC),
                top.yesNo("assertZeroEmptyEvents", false),
                top.durationOrNone("assertMaxWaitP999", null, Fields.ZERO),
                top.durationOrNone("assertMaxWait", null, Fields.ZERO),
                top.wholeOrNone("assertMaxTimeouts", null, Long.MAX_VALUE),
                top.numberOrNone("assertMinUsableShare", 0, 1),
                top.wholeOrNone("assertMaxRefusedConnects", null, Long.MAX_VALUE),
                count("assertMaxOpenConnections", null),
                leases,
                top.yesNo("assertPromisesKept", false));
    }

    private @Nullable Integer count(String key, @Nullable Integer otherwise) {
        Long most = top.wholeOrNone(key, otherwise == null ? null : (Long) otherwise.longValue(), Integer.MAX_VALUE);
        return most == null ? null : (Integer) most.intValue();
    }
}
