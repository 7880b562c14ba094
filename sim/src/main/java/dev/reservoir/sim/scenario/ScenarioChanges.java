package dev.reservoir.sim.scenario;

import dev.reservoir.sim.scenario.Scenario.Database;
import dev.reservoir.sim.scenario.Scenario.Expected;
import dev.reservoir.sim.scenario.Scenario.Limiter;
import dev.reservoir.sim.scenario.Scenario.Pool;

/** Changes that follow from a changed key: other values of the same part, or of other parts of the scenario. */
final class ScenarioChanges {
    private ScenarioChanges() {}

    /** A pool of another size. What was equal to the target stays equal, and the low watermark in proportion. */
    static Pool resize(Pool pool, int target) {
        int maxOpen = pool.maxOpen() == pool.targetReady() ? target : pool.maxOpen();
        int low = pool.lowWatermark() == pool.targetReady()
                ? target
                : (int) Math.min(target, (long) pool.lowWatermark() * target / Math.max(1, pool.targetReady()));
        return pool.with(ScenarioKeys.TARGET_READY, target)
                .with(ScenarioKeys.MAX_OPEN, maxOpen)
                .with(ScenarioKeys.LOW_WATERMARK, low);
    }

    /** A database with another typical handshake. */
    static Database stretchHandshake(Database database, Latency typical) {
        return database.with(ScenarioKeys.HANDSHAKE, database.handshake().around(typical.first()));
    }

    /** The rate of the database follows the fleet's own, if the database has a limit. */
    static Scenario rateOfDatabase(Scenario before, Scenario after) {
        Database database = after.database();
        Scenario changed = database.ratePerSecond() == 0
                ? after
                : after.with(
                        ScenarioKeys.SCENARIO_DATABASE,
                        database.with(
                                ScenarioKeys.DATABASE_RATE, after.limiter().perSecond()));
        return expectTheLimit(before, changed);
    }

    /** The burst of the fleet's own limit follows the database's. */
    static Scenario burstOfLimiter(Scenario before, Scenario after) {
        int burst = Math.max(1, after.database().burst());
        return expectTheLimit(
                before, after.with(ScenarioKeys.LIMITER, after.limiter().with(ScenarioKeys.BURST, burst)));
    }

    /** If a scenario expects no more connects per second than the limiter allows, this follows the limiter. */
    private static Scenario expectTheLimit(Scenario before, Scenario after) {
        Expected expected = after.expected();
        Integer most = expected.maxConnectsPerSec();
        boolean saysTheLimit = most != null
                && (most == mostConnectsInASecond(before.limiter())
                        || most == Math.ceil(before.limiter().perSecond()));
        return saysTheLimit
                ? after.with(
                        ScenarioKeys.EXPECTED,
                        expected.with(ScenarioKeys.MAX_CONNECTS_PER_SEC, mostConnectsInASecond(after.limiter())))
                : after;
    }

    /** The most connects in one second: a full bucket and the permits that arrive until the second is over. */
    static int mostConnectsInASecond(Limiter limiter) {
        return (int) Math.min(Integer.MAX_VALUE, Math.ceil(limiter.perSecond()) + limiter.burst() - 1);
    }

    /** The limit on leases follows the database's limit, if the two were equal. */
    static Scenario leasesWithCap(Scenario before, Scenario after) {
        int cap = after.database().cap();
        int leases = before.coordinator().leaseLimit();
        return cap > 0 && leases > 0 && leases == before.database().cap()
                ? after.with(
                        ScenarioKeys.SCENARIO_COORDINATOR, after.coordinator().with(ScenarioKeys.LEASE_LIMIT, cap))
                : after;
    }
}
