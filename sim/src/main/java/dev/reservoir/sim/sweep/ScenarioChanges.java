package dev.reservoir.sim.sweep;

import dev.reservoir.sim.scenario.DurationText;
import dev.reservoir.sim.scenario.Latency;
import dev.reservoir.sim.scenario.Scenario;
import dev.reservoir.sim.scenario.Scenario.Arrival;
import dev.reservoir.sim.scenario.Scenario.Database;
import dev.reservoir.sim.scenario.Scenario.Expected;
import dev.reservoir.sim.scenario.Scenario.Limiter;
import dev.reservoir.sim.scenario.Scenario.Pool;
import dev.reservoir.sim.scenario.Scenario.Service;
import dev.reservoir.sim.scenario.Scenario.Workload;
import dev.reservoir.sim.scenario.ScenarioReader;
import dev.reservoir.sim.sweep.Vary.Value;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Makes copies of a scenario with one setting changed, and with the changes that follow from it. */
final class ScenarioChanges {
    private ScenarioChanges() {}

    // Services.

    static Scenario target(Scenario scenario, Value value) {
        int target = value.count();
        return pools(scenario, p -> {
            int maxOpen = p.maxOpen() == p.targetReady() ? target : p.maxOpen();
            int low = p.lowWatermark() == p.targetReady()
                    ? target
                    : (int) Math.min(target, (long) p.lowWatermark() * target / Math.max(1, p.targetReady()));
            return pool(p, target, maxOpen, low, p.guardWindow(), p.shortestLifetime(), p.jitter());
        });
    }

    static Scenario maxOpen(Scenario scenario, Value value) {
        return pools(
                scenario,
                p -> pool(
                        p,
                        p.targetReady(),
                        value.count(),
                        p.lowWatermark(),
                        p.guardWindow(),
                        p.shortestLifetime(),
                        p.jitter()));
    }

    static Scenario jitter(Scenario scenario, Value value) {
        return times(scenario, null, null, value.duration());
    }

    static Scenario lifetime(Scenario scenario, Value value) {
        return times(scenario, null, value.duration(), null);
    }

    static Scenario guard(Scenario scenario, Value value) {
        return times(scenario, value.duration(), null, null);
    }

    private static Scenario times(
            Scenario scenario, @Nullable Duration guard, @Nullable Duration lifetime, @Nullable Duration jitter) {
        return pools(
                scenario,
                p -> pool(
                        p,
                        p.targetReady(),
                        p.maxOpen(),
                        p.lowWatermark(),
                        guard == null ? p.guardWindow() : guard,
                        lifetime == null ? p.shortestLifetime() : lifetime,
                        jitter == null ? p.jitter() : jitter));
    }

    static Scenario instances(Scenario scenario, Value value) {
        return services(
                scenario,
                s -> new Service(s.name(), value.count(), s.pool(), s.startDelay(), s.instanceDelay(), s.workload()));
    }

    static boolean isClosed(Service service) {
        return service.workload().arrival() == Arrival.CLOSED;
    }

    static boolean hasRate(Service service) {
        Arrival arrival = service.workload().arrival();
        return arrival == Arrival.POISSON || arrival == Arrival.EVEN;
    }

    static Scenario inUse(Scenario scenario, Value value) {
        return services(
                scenario,
                s -> isClosed(s) ? workload(s, value.count(), s.workload().ratePerSecond()) : s);
    }

    static Scenario load(Scenario scenario, Value value) {
        return services(
                scenario,
                s -> hasRate(s)
                        ? workload(s, s.workload().maxInUse(), value.number().doubleValue())
                        : s);
    }

    // The limits, and the expectations derived from them.

    static Scenario burst(Scenario scenario, Value value) {
        Limiter before = scenario.limiter();
        Limiter limiter = new Limiter(before.perSecond(), Math.max(1, value.count()), before.sharing());
        Database d = scenario.database();
        return limits(scenario, limiter, database(d, d.ratePerSecond(), value.count(), d.cap(), d.handshake()));
    }

    static Scenario rate(Scenario scenario, Value value) {
        double rate = value.number().doubleValue();
        Limiter before = scenario.limiter();
        Database d = scenario.database();
        double databaseRate = d.ratePerSecond() > 0 ? rate : 0;
        return limits(
                scenario,
                new Limiter(rate, before.burst(), before.sharing()),
                database(d, databaseRate, d.burst(), d.cap(), d.handshake()));
    }

    /**
     * Changes the limits. If the scenario expects no more connects per second than the limiter allows, the expectation
     * changes with the limiter.
     */
    private static Scenario limits(Scenario scenario, Limiter limiter, Database database) {
        Expected e = scenario.expected();
        Integer asserted = e.maxConnectsPerSec();
        boolean saysTheLimit = asserted != null
                && (asserted == mostInASecond(scenario.limiter())
                        || asserted == Math.ceil(scenario.limiter().perSecond()));
        Expected expected = !saysTheLimit
                ? e
                : new Expected(
                        mostInASecond(limiter),
                        e.convergeWithin(),
                        e.stableFor(),
                        e.maxClosurePerSec(),
                        e.zeroEmptyEvents(),
                        e.maxWaitP999(),
                        e.maxWait(),
                        e.maxTimeouts(),
                        e.minUsableShare(),
                        e.maxRefusedConnects(),
                        e.maxOpenConnections(),
                        e.leasesMatchConnections(),
                        e.promisesKept());
        return scenario(scenario, limiter, scenario.coordinator(), database, scenario.services(), expected);
    }

    /** The most connects in one second: a full bucket and the permits that arrive until the second is over. */
    private static int mostInASecond(Limiter limiter) {
        return (int) Math.ceil(limiter.perSecond()) + Math.max(1, limiter.burst()) - 1;
    }

    // The database.

    static Scenario cap(Scenario scenario, Value value) {
        Database d = scenario.database();
        Scenario.Coordinator c = scenario.coordinator();
        boolean leasesFollow = c.leaseLimit() > 0 && c.leaseLimit() == d.cap() && value.count() > 0;
        Scenario.Coordinator coordinator = leasesFollow ? c.withLeaseLimit(value.count()) : c;
        return scenario(
                scenario,
                scenario.limiter(),
                coordinator,
                database(d, d.ratePerSecond(), d.burst(), value.count(), d.handshake()),
                scenario.services(),
                scenario.expected());
    }

    static Scenario handshake(Scenario scenario, Value value) {
        Database d = scenario.database();
        Duration time = value.duration();
        Latency before = d.handshake();
        Latency after;
        if (before.shape() == Latency.Shape.FIXED || before.first().isZero() || time.isZero()) {
            after = Latency.fixed(time);
        } else {
            double factor = (double) time.toNanos() / before.first().toNanos();
            after = new Latency(before.shape(), time, Duration.ofNanos((long)
                    (before.second().toNanos() * factor)));
        }
        return scenario(
                scenario,
                scenario.limiter(),
                scenario.coordinator(),
                database(d, d.ratePerSecond(), d.burst(), d.cap(), after),
                scenario.services(),
                scenario.expected());
    }

    // Impossible combinations.

    /** The reason why a scenario cannot run; null if it can. */
    static @Nullable String impossible(Scenario scenario) {
        long processes =
                scenario.services().stream().mapToLong(Service::instances).sum();
        long connections = scenario.services().stream()
                .mapToLong(s -> (long) s.instances() * s.pool().targetReady())
                .sum();
        if (processes > ScenarioReader.PROCESSES_MAX || connections > ScenarioReader.CONNECTIONS_MAX) {
            return processes + " processes with " + connections + " connections are more than "
                    + ScenarioReader.PROCESSES_MAX + " and " + ScenarioReader.CONNECTIONS_MAX;
        }
        for (Service service : scenario.services()) {
            Pool pool = service.pool();
            if (pool.targetReady() > pool.maxOpen()) {
                return "target " + pool.targetReady() + " is more than maxOpen " + pool.maxOpen();
            }
            if (pool.guardWindow().compareTo(pool.shortestLifetime()) >= 0) {
                return "guard " + DurationText.format(pool.guardWindow()) + " is not less than lifetime "
                        + DurationText.format(pool.shortestLifetime());
            }
        }
        return null;
    }

    // Copies.

    private static Scenario pools(Scenario scenario, UnaryOperator<Pool> change) {
        return services(
                scenario,
                s -> new Service(
                        s.name(),
                        s.instances(),
                        change.apply(s.pool()),
                        s.startDelay(),
                        s.instanceDelay(),
                        s.workload()));
    }

    private static Scenario services(Scenario s, UnaryOperator<Service> change) {
        return scenario(
                s,
                s.limiter(),
                s.coordinator(),
                s.database(),
                s.services().stream().map(change).toList(),
                s.expected());
    }

    private static Pool pool(
            Pool p, int target, int maxOpen, int low, Duration guard, Duration lifetime, Duration jitter) {
        return new Pool(
                target,
                maxOpen,
                low,
                guard,
                lifetime,
                jitter,
                p.connectTimeout(),
                p.opensInFlightMax(),
                p.successorAllowance(),
                p.keepalive(),
                p.refillPacing());
    }

    private static Service workload(Service s, int inUse, double rate) {
        Workload w = s.workload();
        Workload changed = new Workload(
                w.arrival(),
                inUse,
                w.spawnEvery(),
                w.arrivalBurst(),
                rate,
                w.burstEvery(),
                w.burstSize(),
                w.recorded(),
                w.hold(),
                w.maxWait(),
                w.conflicts());
        return new Service(s.name(), s.instances(), s.pool(), s.startDelay(), s.instanceDelay(), changed);
    }

    private static Database database(Database d, double rate, int burst, int cap, Latency handshake) {
        return new Database(rate, burst, cap, d.maxAge(), handshake, d.close(), d.crashNotice());
    }

    private static Scenario scenario(
            Scenario s,
            Limiter limiter,
            Scenario.Coordinator coordinator,
            Database database,
            List<Service> services,
            Expected expected) {
        return s.within(limiter, coordinator, database, s.tokens())
                .withFleet(services, s.faults())
                .expecting(expected);
    }
}
