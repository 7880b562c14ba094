package dev.reservoir.sim.fuzz;

import dev.reservoir.core.RefillPacing;
import dev.reservoir.sim.scenario.Latency;
import dev.reservoir.sim.scenario.Scenario;
import dev.reservoir.sim.scenario.Scenario.Coordinator;
import dev.reservoir.sim.scenario.Scenario.Database;
import dev.reservoir.sim.scenario.Scenario.Fault;
import dev.reservoir.sim.scenario.Scenario.Limiter;
import dev.reservoir.sim.scenario.Scenario.Pool;
import dev.reservoir.sim.scenario.Scenario.Service;
import dev.reservoir.sim.scenario.Scenario.Sharing;
import dev.reservoir.sim.scenario.Scenario.Tokens;
import dev.reservoir.sim.scenario.Scenario.Workload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Makes a failing scenario smaller while it still fails: fewer faults, fewer services, a shorter run, simpler settings.
 */
public final class Shrink {
    /**
     * Largest number of runs. A scenario that still shrinks after that is either small enough or too slow to continue
     * with.
     */
    private static final int RUNS_MAX = 400;

    private static final Duration SHORTEST = Duration.ofSeconds(2);

    private final Predicate<Scenario> fails;
    private int runs;

    private Shrink(Predicate<Scenario> fails) {
        this.fails = fails;
    }

    /** The smallest scenario found that still fails. Blocks while it runs candidates. */
    public static Scenario shrink(Scenario scenario, Predicate<Scenario> fails) {
        return new Shrink(fails).run(scenario);
    }

    private Scenario run(Scenario scenario) {
        Scenario smallest = scenario;
        boolean smaller = true;
        while (smaller && runs < RUNS_MAX) {
            smaller = false;
            for (Scenario candidate : candidates(smallest)) {
                if (stillFails(candidate, smallest)) {
                    smallest = candidate;
                    smaller = true;
                    break;
                }
            }
        }
        return smallest;
    }

    private boolean stillFails(Scenario candidate, Scenario smallest) {
        if (runs >= RUNS_MAX || candidate.equals(smallest)) {
            return false;
        }
        runs++;
        return fails.test(candidate);
    }

    /** All simpler variants of a scenario, the largest steps first. */
    private static List<Scenario> candidates(Scenario s) {
        List<Scenario> all = new ArrayList<>();
        for (int i = 0; i < s.faults().size(); i++) {
            List<Fault> fewer = new ArrayList<>(s.faults());
            fewer.remove(i);
            all.add(s.withFleet(s.services(), fewer));
        }
        for (int i = 0; s.services().size() > 1 && i < s.services().size(); i++) {
            all.add(withoutService(s, i));
        }
        for (int tenths : new int[] {5, 8, 9}) {
            Duration end = Duration.ofMillis(s.duration().toMillis() * tenths / 10);
            if (end.compareTo(SHORTEST) >= 0 && startsWithin(s, end)) {
                all.add(until(s, end));
            }
        }
        for (int i = 0; i < s.services().size(); i++) {
            for (Service simpler : simpler(s.services().get(i))) {
                List<Service> services = new ArrayList<>(s.services());
                services.set(i, simpler);
                all.add(s.withFleet(services, s.faults()));
            }
        }
        addSimplerSurroundings(s, all);
        return all;
    }

    private static boolean startsWithin(Scenario s, Duration end) {
        return s.services().stream()
                .allMatch(v -> v.startDelay()
                                .plus(v.instanceDelay().multipliedBy(v.instances() - 1L))
                                .compareTo(end)
                        <= 0);
    }

    private static Scenario until(Scenario s, Duration end) {
        List<Fault> before =
                s.faults().stream().filter(f -> f.at().compareTo(end) < 0).toList();
        Duration sampleEvery = s.sampleEvery().compareTo(end) > 0 ? end : s.sampleEvery();
        return new Scenario(
                s.name(),
                s.seed(),
                s.endpoint(),
                end,
                sampleEvery,
                s.limiter(),
                s.coordinator(),
                s.database(),
                s.tokens(),
                s.services(),
                before,
                s.expected());
    }

    private static Scenario withoutService(Scenario s, int index) {
        String name = s.services().get(index).name();
        List<Service> services = new ArrayList<>(s.services());
        services.remove(index);
        List<Fault> faults =
                s.faults().stream().filter(f -> !f.services().contains(name)).toList();
        return s.withFleet(services, faults);
    }

    private static List<Service> simpler(Service s) {
        Pool p = s.pool();
        Workload w = s.workload();
        int half = Math.max(1, p.targetReady() / 2);
        return List.of(
                with(s, s.instances(), p, RandomScenario.idle()),
                new Service(s.name(), 1, p, Duration.ZERO, Duration.ZERO, w),
                new Service(s.name(), s.instances(), p, Duration.ZERO, Duration.ZERO, w),
                with(s, Math.max(1, s.instances() - 1), p, w),
                with(s, s.instances(), sized(p, half), w),
                with(s, s.instances(), sized(p, Math.max(1, p.targetReady() - 1)), w),
                with(s, s.instances(), plain(p), w),
                with(s, s.instances(), p, steady(w)));
    }

    private static Service with(Service s, int instances, Pool pool, Workload workload) {
        return new Service(s.name(), instances, pool, s.startDelay(), s.instanceDelay(), workload);
    }

    /** The same workload with a fixed hold time and no conflicts. */
    private static Workload steady(Workload w) {
        return new Workload(
                w.arrival(),
                w.maxInUse(),
                w.spawnEvery(),
                w.arrivalBurst(),
                w.ratePerSecond(),
                w.burstEvery(),
                w.burstSize(),
                w.recorded(),
                Latency.fixed(w.hold().first()),
                w.maxWait(),
                0);
    }

    private static Pool sized(Pool p, int size) {
        return new Pool(
                size,
                Math.max(size, Math.min(p.maxOpen(), p.maxOpen() - p.targetReady() + size)),
                Math.min(size, p.lowWatermark()),
                p.guardWindow(),
                p.shortestLifetime(),
                p.jitter(),
                p.connectTimeout(),
                p.opensInFlightMax(),
                p.successorAllowance(),
                p.keepalive(),
                p.refillPacing());
    }

    private static Pool plain(Pool p) {
        return new Pool(
                p.targetReady(),
                p.targetReady(),
                p.targetReady(),
                p.guardWindow(),
                p.shortestLifetime(),
                Duration.ZERO,
                p.connectTimeout(),
                100,
                -1,
                Duration.ZERO,
                RefillPacing.SMOOTH);
    }

    private static void addSimplerSurroundings(Scenario s, List<Scenario> all) {
        Limiter limiter = new Limiter(s.limiter().perSecond(), 1, Sharing.SHARED);
        Coordinator c = s.coordinator();
        Latency none = Latency.fixed(Duration.ZERO);
        Tokens tokens = new Tokens(
                Duration.ZERO,
                Duration.ofMinutes(1),
                Latency.fixed(s.tokens().fetch().first()));
        all.add(s.within(limiter, s.coordinator(), s.database(), s.tokens()));
        for (Coordinator coordinator : List.of(
                new Coordinator(none, 0, c.leaseTime(), c.whenAway()),
                new Coordinator(none, c.leaseLimit(), c.leaseTime(), c.whenAway()),
                new Coordinator(c.latency(), c.leaseLimit(), c.leaseTime(), c.whenAway()),
                new Coordinator(none, c.leaseLimit(), c.leaseTime(), c.whenAway(), c.clockSkew(), 0, 0),
                new Coordinator(none, c.leaseLimit(), c.leaseTime(), c.whenAway(), Duration.ZERO, c.loseAnswers(), 0),
                new Coordinator(none, c.leaseLimit(), c.leaseTime(), c.whenAway(), Duration.ZERO, 0, c.conflicts()))) {
            all.add(s.within(s.limiter(), coordinator, s.database(), s.tokens()));
        }
        for (Database database : simpler(s.database())) {
            all.add(s.within(s.limiter(), s.coordinator(), database, s.tokens()));
        }
        all.add(s.within(s.limiter(), s.coordinator(), s.database(), tokens));
    }

    /**
     * Databases with fewer limits: the first has no limit and fixed latencies, each of the others lacks one kind of
     * limit or variation.
     */
    private static List<Database> simpler(Database d) {
        Latency handshake = Latency.fixed(d.handshake().first());
        Latency close = Latency.fixed(d.close().first());
        Duration never = Duration.ZERO;
        return List.of(
                new Database(0, 0, 0, never, handshake, close, never),
                new Database(0, 0, d.cap(), d.maxAge(), d.handshake(), d.close(), d.crashNotice()),
                new Database(d.ratePerSecond(), d.burst(), 0, d.maxAge(), d.handshake(), d.close(), d.crashNotice()),
                new Database(d.ratePerSecond(), d.burst(), d.cap(), never, d.handshake(), d.close(), d.crashNotice()),
                new Database(d.ratePerSecond(), d.burst(), d.cap(), d.maxAge(), handshake, close, never));
    }
}
