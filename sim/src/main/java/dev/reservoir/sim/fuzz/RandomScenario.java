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
import dev.reservoir.sim.scenario.ScenarioKeys;
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
        Limiter limiter = ScenarioKeys.defaults(Limiter.class)
                .with(ScenarioKeys.LIMITER_PER_SEC, (double) between(5, 100))
                .with(ScenarioKeys.BURST, oneIn(2) ? 1 : between(1, 50))
                .with(ScenarioKeys.PERMITS, pick(Sharing.values()));
        return ScenarioKeys.defaults(Scenario.class)
                .withName("fuzz-" + seed)
                .withSeed(seed)
                .with(ScenarioKeys.ENDPOINT, "fuzz")
                .withDuration(Duration.ofSeconds(seconds))
                .with(ScenarioKeys.SAMPLE_EVERY, Duration.ofSeconds(10))
                .with(ScenarioKeys.LIMITER, limiter)
                .with(ScenarioKeys.SCENARIO_COORDINATOR, coordinator(target))
                .with(ScenarioKeys.SCENARIO_DATABASE, database(target, limiter))
                .with(ScenarioKeys.SCENARIO_TOKENS, tokens())
                .with(ScenarioKeys.SERVICES, List.copyOf(services))
                .with(ScenarioKeys.FAULTS, faults(services))
                .with(ScenarioKeys.EXPECTED, promisesOnly());
    }

    private static Expected promisesOnly() {
        return ScenarioKeys.defaults(Expected.class)
                .with(ScenarioKeys.CONVERGE_WITHIN, null)
                .with(ScenarioKeys.STABLE_FOR, null)
                .with(ScenarioKeys.MAX_CONNECTS_PER_SEC, null)
                .with(ScenarioKeys.MAX_CLOSURE_PER_SEC, null)
                .with(ScenarioKeys.PROMISES_KEPT, true);
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
        return ScenarioKeys.defaults(Service.class)
                .with(ScenarioKeys.SERVICE_NAME, name)
                .with(ScenarioKeys.INSTANCES, between(1, 3))
                .with(ScenarioKeys.POOL, pool())
                .with(ScenarioKeys.START_DELAY, oneIn(2) ? Duration.ZERO : millis(0, 5_000))
                .with(ScenarioKeys.INSTANCE_DELAY, oneIn(2) ? Duration.ZERO : millis(0, 5_000))
                .with(ScenarioKeys.SERVICE_WORKLOAD, workload());
    }

    private Pool pool() {
        int target = between(1, oneIn(3) ? 40 : 8);
        Duration lifetime = millis(5_000, oneIn(2) ? 30_000 : 120_000);
        Duration guard = wholeMillis(lifetime.dividedBy(between(4, 20)));
        return ScenarioKeys.defaults(Pool.class)
                .with(ScenarioKeys.TARGET_READY, target)
                .with(ScenarioKeys.MAX_OPEN, oneIn(2) ? target : target + between(0, target))
                .with(ScenarioKeys.LOW_WATERMARK, between(0, target))
                .with(ScenarioKeys.GUARD_WINDOW, guard)
                .with(ScenarioKeys.BASE_LIFETIME, lifetime)
                .with(ScenarioKeys.JITTER, oneIn(3) ? Duration.ZERO : wholeMillis(lifetime.dividedBy(between(2, 10))))
                .with(ScenarioKeys.CONNECT_TIMEOUT, millis(200, 10_000))
                .with(ScenarioKeys.OPENS_IN_FLIGHT_MAX, oneIn(2) ? 100 : between(1, 10))
                .with(ScenarioKeys.SUCCESSOR_ALLOWANCE, between(-1, 3))
                .with(ScenarioKeys.KEEPALIVE, oneIn(3) ? Duration.ZERO : millis(1_000, 60_000))
                .with(ScenarioKeys.REFILL_PACING, pick(RefillPacing.values()));
    }

    private Workload workload() {
        Arrival arrival = oneIn(5) ? Arrival.NONE : pick(Arrival.values());
        Workload idle = ScenarioKeys.defaults(Workload.class);
        Workload arriving = idle.with(ScenarioKeys.ARRIVAL, arrival);
        return switch (arrival) {
            case NONE -> idle;
            case CLOSED ->
                inUse(arriving.with(ScenarioKeys.MAX_IN_USE, between(1, 30))
                        .with(ScenarioKeys.SPAWN_EVERY, millis(50, 1_000))
                        .with(ScenarioKeys.ARRIVAL_BURST, between(1, 10)));
            case POISSON, EVEN -> inUse(arriving.with(ScenarioKeys.RATE, (double) between(1, oneIn(5) ? 100 : 15)));
            case BURSTS ->
                inUse(arriving.with(ScenarioKeys.BURST_EVERY, millis(500, 5_000))
                        .with(ScenarioKeys.BURST_SIZE, between(1, oneIn(5) ? 60 : 15)));
            case RECORDED -> inUse(arriving.with(ScenarioKeys.TIMES, recorded()));
        };
    }

    /** The same workload with random times in which its connections are in use. */
    private Workload inUse(Workload workload) {
        return workload.with(ScenarioKeys.HOLD, latency(1, oneIn(4) ? 5_000 : 100))
                .with(ScenarioKeys.WORKLOAD_MAX_WAIT, millis(1, oneIn(2) ? 200 : 20_000))
                .with(ScenarioKeys.CONFLICTS, oneIn(4) ? share() / 2 : 0.0);
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
        return ScenarioKeys.defaults(Coordinator.class)
                .with(ScenarioKeys.COORDINATOR_LATENCY, latency(0, 20))
                .with(ScenarioKeys.LEASE_LIMIT, limit)
                .with(ScenarioKeys.LEASE_TIME, millis(3_000, 60_000))
                .with(ScenarioKeys.WHEN_AWAY, whenAway)
                .with(ScenarioKeys.CLOCK_SKEW, oneIn(2) ? Duration.ZERO : millis(0, oneIn(2) ? 1_000 : 120_000))
                .with(ScenarioKeys.LOSE_ANSWERS, oneIn(2) ? 0.0 : share() / 5)
                .with(ScenarioKeys.COORDINATOR_CONFLICTS, oneIn(2) ? 0.0 : share() / 2);
    }

    private Database database(int target, Limiter limiter) {
        double rate = oneIn(2) ? 0 : Math.rint(limiter.perSecond() * (0.5 + share()));
        return ScenarioKeys.defaults(Database.class)
                .with(ScenarioKeys.DATABASE_RATE, rate)
                .with(ScenarioKeys.DATABASE_BURST, between(0, 20))
                .with(ScenarioKeys.CAP, oneIn(2) ? 0 : Math.max(1, between(target / 2, 2 * target)))
                .with(ScenarioKeys.MAX_AGE, oneIn(2) ? Duration.ZERO : millis(10_000, 100_000))
                .with(ScenarioKeys.HANDSHAKE, latency(0, 200))
                .with(ScenarioKeys.CLOSE, latency(0, 20))
                .with(ScenarioKeys.CRASH_NOTICE, oneIn(2) ? Duration.ZERO : millis(0, 30_000));
    }

    private Tokens tokens() {
        Duration lifetime = oneIn(2) ? Duration.ZERO : millis(10_000, 100_000);
        return ScenarioKeys.defaults(Tokens.class)
                .with(ScenarioKeys.TOKEN_LIFETIME, lifetime)
                .with(ScenarioKeys.RENEW_BEFORE, wholeMillis(lifetime.dividedBy(5)))
                .with(ScenarioKeys.FETCH, latency(1, 100));
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
        Fault fault = ScenarioKeys.defaults(Fault.class)
                .with(ScenarioKeys.KIND, kind)
                .with(ScenarioKeys.AT, millis(0, seconds * 1_000 - 1_000));
        String one = services.get(random.nextInt(services.size())).name();
        List<String> whom = oneIn(2) ? List.of() : List.of(one);
        Duration lasts = millis(1, oneIn(4) ? 60_000 : 15_000);
        Fault hitting = fault.with(ScenarioKeys.FAULT_SERVICES, whom);
        return switch (kind) {
            case DROP -> hitting.with(ScenarioKeys.FRACTION, share());
            case CRASH ->
                hitting.with(ScenarioKeys.FRACTION, share()).with(ScenarioKeys.FOR, oneIn(4) ? Duration.ZERO : lasts);
            case HANG -> hitting.with(ScenarioKeys.FRACTION, share()).with(ScenarioKeys.FOR, lasts);
            case SCALE -> hitting.with(ScenarioKeys.FAULT_INSTANCES, between(0, 6));
            case HUNG_CONNECTS -> fault.with(ScenarioKeys.FRACTION, share()).with(ScenarioKeys.FOR, lasts);
            case COORDINATOR_OUTAGE, TOKEN_OUTAGE, DATABASE_OUTAGE, WRITES_THROTTLED ->
                fault.with(ScenarioKeys.FOR, lasts);
            case SLOW_CONNECTS ->
                fault.with(ScenarioKeys.FOR, lasts).with(ScenarioKeys.FAULT_HANDSHAKE, latency(500, 5_000));
            case RESTART ->
                hitting.with(ScenarioKeys.EVERY, millis(0, 20_000)).with(ScenarioKeys.BY_SERVICE, random.nextBoolean());
        };
    }
}
