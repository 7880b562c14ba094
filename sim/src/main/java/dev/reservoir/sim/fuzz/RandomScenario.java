package dev.reservoir.sim.fuzz;

import dev.reservoir.core.RefillPacing;
import dev.reservoir.sim.scenario.Latency;
import dev.reservoir.sim.scenario.Scenario;
import dev.reservoir.sim.scenario.Scenario.Arrival;
import dev.reservoir.sim.scenario.Scenario.Coordinator;
import dev.reservoir.sim.scenario.Scenario.Database;
import dev.reservoir.sim.scenario.Scenario.Expected;
import dev.reservoir.sim.scenario.Scenario.Fault;
import dev.reservoir.sim.scenario.Scenario.FaultKind;
import dev.reservoir.sim.scenario.Scenario.Limiter;
import dev.reservoir.sim.scenario.Scenario.Pool;
import dev.reservoir.sim.scenario.Scenario.Service;
import dev.reservoir.sim.scenario.Scenario.Sharing;
import dev.reservoir.sim.scenario.Scenario.Tokens;
import dev.reservoir.sim.scenario.Scenario.WhenAway;
import dev.reservoir.sim.scenario.Scenario.Workload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Draws a small fleet with many faults from a seed. The scenario expects only that the engine keeps its promises. A
 * field that the scenario does not use has its default from the scenario file format, so that the scenario survives
 * being written and read.
 */
final class RandomScenario {
    private final SplittableRandom random;
    private final long seed;
    private int seconds;

    private RandomScenario(long seed) {
        this.seed = seed;
        this.random = new SplittableRandom(seed);
    }

    static Scenario of(long seed) {
        return new RandomScenario(seed).draw();
    }

    private Scenario draw() {
        // Many short runs find more than a few long ones.
        seconds = between(20, oneIn(4) ? 240 : 90);
        List<Service> services = new ArrayList<>();
        int count = between(1, 3);
        for (int i = 0; i < count; i++) {
            services.add(service("service-" + (i + 1)));
        }
        int target = services.stream().mapToInt(Service::target).sum();
        Limiter limiter = new Limiter(between(5, 100), oneIn(2) ? 1 : between(1, 50), pick(Sharing.values()));
        return new Scenario(
                "fuzz-" + seed,
                seed,
                "fuzz",
                Duration.ofSeconds(seconds),
                Duration.ofSeconds(10),
                limiter,
                coordinator(target),
                database(target, limiter),
                tokens(),
                List.copyOf(services),
                faults(services),
                promisesOnly());
    }

    static Expected promisesOnly() {
        return new Expected(null, null, null, null, false, null, null, null, null, null, null, false, true);
    }

    private int between(int least, int most) {
        return least + random.nextInt(most - least + 1);
    }

    private boolean oneIn(int n) {
        return random.nextInt(n) == 0;
    }

    private <T> T pick(T[] values) {
        return values[random.nextInt(values.length)];
    }

    /** A share from 0 to 1 with two decimals. */
    private double share() {
        return between(0, 100) / 100.0;
    }

    private static Duration wholeMillis(Duration time) {
        return Duration.ofMillis(time.toMillis());
    }

    private Duration millis(int least, int most) {
        return Duration.ofMillis(between(least, most));
    }

    private Latency latency(int leastMillis, int mostMillis) {
        Duration a = millis(leastMillis, mostMillis);
        return switch (random.nextInt(4)) {
            case 0 -> Latency.fixed(a);
            case 1 -> Latency.uniform(a, a.multipliedBy(between(1, 5)));
            case 2 -> Latency.logNormal(a.plusMillis(1), a.plusMillis(1).multipliedBy(between(2, 30)));
            default -> Latency.exponential(a.plusMillis(1));
        };
    }

    private Service service(String name) {
        return new Service(
                name,
                between(1, 3),
                pool(),
                oneIn(2) ? Duration.ZERO : millis(0, 5_000),
                oneIn(2) ? Duration.ZERO : millis(0, 5_000),
                workload());
    }

    private Pool pool() {
        int target = between(1, oneIn(3) ? 40 : 8);
        Duration lifetime = millis(5_000, oneIn(2) ? 30_000 : 120_000);
        Duration guard = wholeMillis(lifetime.dividedBy(between(4, 20)));
        return new Pool(
                target,
                oneIn(2) ? target : target + between(0, target),
                between(0, target),
                guard,
                lifetime,
                oneIn(3) ? Duration.ZERO : wholeMillis(lifetime.dividedBy(between(2, 10))),
                millis(200, 10_000),
                oneIn(2) ? 100 : between(1, 10),
                between(-1, 3),
                oneIn(3) ? Duration.ZERO : millis(1_000, 60_000),
                pick(RefillPacing.values()));
    }

    private Workload workload() {
        Arrival arrival = oneIn(5) ? Arrival.NONE : pick(Arrival.values());
        if (arrival == Arrival.NONE) {
            return idle();
        }
        boolean closed = arrival == Arrival.CLOSED;
        boolean bursts = arrival == Arrival.BURSTS;
        boolean atRate = arrival == Arrival.POISSON || arrival == Arrival.EVEN;
        Workload usual = idle();
        return new Workload(
                arrival,
                closed ? between(1, 30) : usual.maxInUse(),
                closed ? millis(50, 1_000) : usual.spawnEvery(),
                closed ? between(1, 10) : usual.arrivalBurst(),
                atRate ? between(1, oneIn(5) ? 100 : 15) : usual.ratePerSecond(),
                bursts ? millis(500, 5_000) : usual.burstEvery(),
                bursts ? between(1, oneIn(5) ? 60 : 15) : usual.burstSize(),
                arrival == Arrival.RECORDED ? recorded() : usual.recorded(),
                latency(1, oneIn(4) ? 5_000 : 100),
                millis(1, oneIn(2) ? 200 : 20_000),
                oneIn(4) ? share() / 2 : 0);
    }

    /** The workload of a scenario file that does not mention one. */
    static Workload idle() {
        return new Workload(
                Arrival.NONE,
                0,
                Duration.ofMillis(200),
                5,
                0,
                Duration.ZERO,
                0,
                List.of(),
                Latency.fixed(Duration.ofMillis(10)),
                Duration.ofSeconds(10),
                0);
    }

    private List<Long> recorded() {
        List<Long> times = new ArrayList<>();
        int count = between(1, 50);
        for (int i = 0; i < count; i++) {
            times.add(millis(0, 1_000 * seconds).toNanos());
        }
        times.sort(null);
        return List.copyOf(times);
    }

    private Coordinator coordinator(int target) {
        int limit = oneIn(2) ? 0 : Math.max(1, between(target / 2, 2 * target));
        WhenAway whenAway = pick(WhenAway.values());
        return new Coordinator(
                latency(0, 20),
                limit,
                millis(3_000, 60_000),
                whenAway,
                oneIn(2) ? Duration.ZERO : millis(0, oneIn(2) ? 1_000 : 120_000),
                oneIn(2) ? 0 : share() / 5,
                oneIn(2) ? 0 : share() / 2);
    }

    private Database database(int target, Limiter limiter) {
        double rate = oneIn(2) ? 0 : Math.rint(limiter.perSecond() * (0.5 + share()));
        return new Database(
                rate,
                between(0, 20),
                oneIn(2) ? 0 : Math.max(1, between(target / 2, 2 * target)),
                oneIn(2) ? Duration.ZERO : millis(10_000, 100_000),
                latency(0, 200),
                latency(0, 20),
                oneIn(2) ? Duration.ZERO : millis(0, 30_000));
    }

    private Tokens tokens() {
        Duration lifetime = oneIn(2) ? Duration.ZERO : millis(10_000, 100_000);
        return new Tokens(lifetime, wholeMillis(lifetime.dividedBy(5)), latency(1, 100));
    }

    private List<Fault> faults(List<Service> services) {
        List<Fault> faults = new ArrayList<>();
        int count = between(0, 6);
        for (int i = 0; i < count; i++) {
            faults.add(fault(services));
        }
        faults.sort(Comparator.comparing(Fault::at));
        return List.copyOf(faults);
    }

    private Fault fault(List<Service> services) {
        FaultKind kind = pick(FaultKind.values());
        Duration at = millis(0, seconds * 1_000 - 1_000);
        String one = services.get(random.nextInt(services.size())).name();
        List<String> whom = oneIn(2) ? List.of() : List.of(one);
        Duration lasts = millis(1, oneIn(4) ? 60_000 : 15_000);
        return switch (kind) {
            case DROP -> fault(at, kind, whom, share(), Duration.ZERO, 0);
            case CRASH -> fault(at, kind, whom, share(), oneIn(4) ? Duration.ZERO : lasts, 0);
            case HANG -> fault(at, kind, whom, share(), lasts, 0);
            case SCALE -> fault(at, kind, whom, 1, Duration.ZERO, between(0, 6));
            case HUNG_CONNECTS -> fault(at, kind, List.of(), share(), lasts, 0);
            case COORDINATOR_OUTAGE, TOKEN_OUTAGE, DATABASE_OUTAGE, WRITES_THROTTLED ->
                fault(at, kind, List.of(), 1, lasts, 0);
            case SLOW_CONNECTS ->
                new Fault(at, kind, List.of(), 1, lasts, Duration.ZERO, false, 0, latency(500, 5_000));
            case RESTART ->
                new Fault(at, kind, whom, 1, Duration.ZERO, millis(0, 20_000), random.nextBoolean(), 0, null);
        };
    }

    private static Fault fault(
            Duration at, FaultKind kind, List<String> whom, double fraction, Duration lasts, int instances) {
        return new Fault(at, kind, whom, fraction, lasts, Duration.ZERO, false, instances, null);
    }
}
