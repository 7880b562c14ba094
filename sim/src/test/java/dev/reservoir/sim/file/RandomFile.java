package dev.reservoir.sim.file;

import dev.reservoir.core.RefillPacing;
import dev.reservoir.sim.scenario.Key;
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
import org.jspecify.annotations.Nullable;

/** Draws from a seed any scenario that a file can contain, with unusual numbers and names. Not meant to be run. */
final class RandomFile {
    private static final List<String> NAMES =
            List.of("a", "history-01", "yes", "12", "two words", "ü: \"x\" # \\", "none", "-", "{b}");
    private static final Duration DAY = Duration.ofHours(24);

    private final SplittableRandom random;
    private final Duration duration;

    private RandomFile(long seed) {
        random = new SplittableRandom(seed);
        duration = time(Duration.ofSeconds(1), DAY);
    }

    static Scenario scenario(long seed) {
        return new RandomFile(seed).draw(seed);
    }

    private Scenario draw(long seed) {
        List<Service> services = new ArrayList<>();
        boolean alike = oneIn(3);
        Pool pool = pool();
        Workload workload = workload();
        int count = 1 + random.nextInt(5);
        for (int i = 0; i < count; i++) {
            services.add(ScenarioKeys.defaults(Service.class)
                    .with(ScenarioKeys.SERVICE_NAME, NAMES.get(i))
                    .with(ScenarioKeys.INSTANCES, oneIn(2) ? 1 : 1 + random.nextInt(9))
                    .with(ScenarioKeys.POOL, alike ? pool : pool())
                    .with(
                            ScenarioKeys.START_DELAY,
                            oneIn(2) ? Duration.ZERO : time(Duration.ZERO, duration.dividedBy(2)))
                    .with(
                            ScenarioKeys.INSTANCE_DELAY,
                            oneIn(2) ? Duration.ZERO : time(Duration.ZERO, duration.dividedBy(20)))
                    .with(ScenarioKeys.SERVICE_WORKLOAD, alike ? workload : workload()));
        }
        Coordinator coordinator = ScenarioKeys.defaults(Coordinator.class)
                .with(ScenarioKeys.COORDINATOR_LATENCY, latency())
                .with(ScenarioKeys.LEASE_LIMIT, random.nextInt(3))
                .with(ScenarioKeys.LEASE_TIME, time(Duration.ofSeconds(3), Duration.ofHours(1)))
                .with(ScenarioKeys.WHEN_AWAY, pick(WhenAway.values()))
                .with(ScenarioKeys.CLOCK_SKEW, oneIn(2) ? Duration.ZERO : time(Duration.ZERO, DAY))
                .with(ScenarioKeys.LOSE_ANSWERS, oneIn(2) ? 0 : number(0, 0.5))
                .with(ScenarioKeys.COORDINATOR_CONFLICTS, oneIn(2) ? 0 : number(0, 0.5));
        Limiter limiter = ScenarioKeys.defaults(Limiter.class)
                .with(ScenarioKeys.LIMITER_PER_SEC, number(0.001, 1000))
                .with(ScenarioKeys.BURST, oneIn(2) ? 1 : 1 + random.nextInt(1000))
                .with(ScenarioKeys.PERMITS, pick(Sharing.values()));
        Database database = ScenarioKeys.defaults(Database.class)
                .with(ScenarioKeys.DATABASE_RATE, oneIn(2) ? 0 : number(0, 1000))
                .with(ScenarioKeys.DATABASE_BURST, random.nextInt(3))
                .with(ScenarioKeys.CAP, random.nextInt(3))
                .with(ScenarioKeys.MAX_AGE, time(Duration.ZERO, DAY))
                .with(ScenarioKeys.HANDSHAKE, latency())
                .with(ScenarioKeys.CLOSE, latency())
                .with(ScenarioKeys.CRASH_NOTICE, time(Duration.ZERO, DAY))
                .with(ScenarioKeys.CLOSED_HELD_FOR, oneIn(2) ? Duration.ZERO : time(Duration.ZERO, DAY));
        Tokens tokens = ScenarioKeys.defaults(Tokens.class)
                .with(ScenarioKeys.TOKEN_LIFETIME, time(Duration.ZERO, DAY))
                .with(ScenarioKeys.RENEW_BEFORE, time(Duration.ZERO, DAY))
                .with(ScenarioKeys.FETCH, latency());
        Scenario usual = ScenarioKeys.defaults(Scenario.class);
        return usual.withName("random-" + seed)
                .withSeed(random.nextLong())
                .with(ScenarioKeys.ENDPOINT, oneIn(2) ? usual.endpoint() : NAMES.get(random.nextInt(NAMES.size())))
                .withDuration(duration)
                .with(ScenarioKeys.SAMPLE_EVERY, duration.dividedBy(1 + random.nextInt(100)))
                .with(ScenarioKeys.LIMITER, limiter)
                .with(ScenarioKeys.SCENARIO_COORDINATOR, coordinator)
                .with(ScenarioKeys.SCENARIO_DATABASE, database)
                .with(ScenarioKeys.SCENARIO_TOKENS, tokens)
                .with(ScenarioKeys.SERVICES, List.copyOf(services))
                .with(ScenarioKeys.FAULTS, faults(services))
                .with(ScenarioKeys.EXPECTED, expected(coordinator.leaseLimit() > 0));
    }

    private boolean oneIn(int n) {
        return random.nextInt(n) == 0;
    }

    private <T> T pick(T[] values) {
        return values[random.nextInt(values.length)];
    }

    private double number(double least, double most) {
        double value = least + random.nextDouble() * (most - least);
        return oneIn(2) ? value : Math.max(least, Math.rint(value));
    }

    /** A duration of any precision. */
    private Duration time(Duration least, Duration most) {
        long span = most.minus(least).toNanos();
        long nanos = least.toNanos() + (random.nextLong(span) >>> random.nextInt(40));
        long[] units = {1, 1_000, 1_000_000, 1_000_000_000, 60_000_000_000L};
        long rounded = nanos / units[random.nextInt(units.length)] * units[random.nextInt(units.length)];
        boolean allowed = rounded >= least.toNanos() && rounded <= most.toNanos();
        return Duration.ofNanos(allowed ? rounded : nanos);
    }

    private Latency latency() {
        Duration a = time(Duration.ofNanos(1), DAY.dividedBy(2));
        return switch (random.nextInt(4)) {
            case 0 -> Latency.fixed(a);
            case 1 -> Latency.uniform(a, a.multipliedBy(2));
            case 2 -> Latency.logNormal(a, a.multipliedBy(2));
            default -> Latency.exponential(a);
        };
    }

    private Pool pool() {
        int target = 1 + random.nextInt(100);
        Duration base = time(Duration.ofMillis(1), DAY);
        return ScenarioKeys.defaults(Pool.class)
                .with(ScenarioKeys.TARGET_READY, target)
                .with(ScenarioKeys.MAX_OPEN, oneIn(2) ? target : target + random.nextInt(10))
                .with(ScenarioKeys.LOW_WATERMARK, oneIn(2) ? target : random.nextInt(target + 1))
                .with(ScenarioKeys.GUARD_WINDOW, time(Duration.ZERO, base.minusNanos(1)))
                .with(ScenarioKeys.BASE_LIFETIME, base)
                .with(ScenarioKeys.JITTER, oneIn(3) ? Duration.ZERO : time(Duration.ZERO, base.multipliedBy(2)))
                .with(ScenarioKeys.CONNECT_TIMEOUT, time(Duration.ofNanos(1), DAY))
                .with(ScenarioKeys.OPENS_IN_FLIGHT_MAX, 1 + random.nextInt(200))
                .with(ScenarioKeys.SUCCESSOR_ALLOWANCE, random.nextInt(10) - 1)
                .with(ScenarioKeys.KEEPALIVE, time(Duration.ZERO, DAY))
                .with(ScenarioKeys.REFILL_PACING, pick(RefillPacing.values()));
    }

    private Workload workload() {
        Arrival arrival = pick(Arrival.values());
        Workload idle = ScenarioKeys.defaults(Workload.class);
        if (arrival == Arrival.NONE) {
            return idle;
        }
        Duration step = time(Duration.ofMillis(1), DAY);
        List<Long> times = new ArrayList<>();
        for (int i = random.nextInt(5); i > 0; i--) {
            times.add(time(Duration.ZERO, DAY).toNanos());
        }
        times.sort(null);
        Workload workload = idle.with(ScenarioKeys.ARRIVAL, arrival)
                .with(ScenarioKeys.HOLD, oneIn(3) ? idle.hold() : latency())
                .with(ScenarioKeys.WORKLOAD_MAX_WAIT, time(Duration.ofNanos(1), DAY))
                .with(ScenarioKeys.CONFLICTS, oneIn(2) ? 0 : number(0, 1));
        return switch (arrival) {
            case CLOSED ->
                workload.with(ScenarioKeys.MAX_IN_USE, random.nextInt(50))
                        .with(ScenarioKeys.SPAWN_EVERY, step)
                        .with(ScenarioKeys.ARRIVAL_BURST, 1 + random.nextInt(50));
            case BURSTS ->
                workload.with(ScenarioKeys.BURST_EVERY, step).with(ScenarioKeys.BURST_SIZE, 1 + random.nextInt(50));
            case RECORDED -> workload.with(ScenarioKeys.TIMES, List.copyOf(times));
            default -> workload.with(ScenarioKeys.RATE, number(0.001, 1000));
        };
    }

    private List<Fault> faults(List<Service> services) {
        List<Fault> faults = new ArrayList<>();
        for (int i = random.nextInt(6); i > 0; i--) {
            FaultKind kind = pick(FaultKind.values());
            Fault fault = ScenarioKeys.defaults(Fault.class)
                    .with(ScenarioKeys.KIND, kind)
                    .with(ScenarioKeys.AT, time(Duration.ZERO, duration.minusNanos(1)));
            List<String> whom = services.stream()
                    .map(Service::name)
                    .filter(name -> oneIn(2))
                    .toList();
            fault = withIfKnown(fault, ScenarioKeys.FAULT_SERVICES, whom);
            fault = withIfKnown(fault, ScenarioKeys.FRACTION, number(0, 1));
            fault = withIfKnown(fault, ScenarioKeys.FOR, time(Duration.ofNanos(1), DAY));
            fault = withIfKnown(fault, ScenarioKeys.EVERY, time(Duration.ZERO, DAY));
            fault = withIfKnown(fault, ScenarioKeys.BY_SERVICE, oneIn(2));
            fault = withIfKnown(fault, ScenarioKeys.FAULT_INSTANCES, random.nextInt(5));
            faults.add(withIfKnown(fault, ScenarioKeys.FAULT_HANDSHAKE, latency()));
        }
        faults.sort(Comparator.comparing(Fault::at));
        return List.copyOf(faults);
    }

    private static <T> Fault withIfKnown(Fault fault, Key<Fault, T> key, T value) {
        return key.hasMeaningWith(fault.kind()) ? fault.with(key, value) : fault;
    }

    private <T> @Nullable T maybe(T value) {
        return oneIn(2) ? value : null;
    }

    private Expected expected(boolean leases) {
        return ScenarioKeys.defaults(Expected.class)
                .with(ScenarioKeys.MAX_CONNECTS_PER_SEC, maybe(random.nextInt(1000)))
                .with(ScenarioKeys.CONVERGE_WITHIN, maybe(time(Duration.ofNanos(1), DAY)))
                .with(ScenarioKeys.STABLE_FOR, maybe(time(Duration.ZERO, DAY)))
                .with(ScenarioKeys.MAX_CLOSURE_PER_SEC, maybe(random.nextInt(1000)))
                .with(ScenarioKeys.ZERO_EMPTY_EVENTS, oneIn(2))
                .with(ScenarioKeys.MAX_WAIT_P999, maybe(time(Duration.ZERO, DAY)))
                .with(ScenarioKeys.MAX_WAIT, maybe(time(Duration.ZERO, DAY)))
                .with(ScenarioKeys.MAX_TIMEOUTS, maybe(random.nextLong(Long.MAX_VALUE)))
                .with(ScenarioKeys.MIN_USABLE_SHARE, maybe(number(0, 1)))
                .with(ScenarioKeys.MAX_REFUSED_CONNECTS, maybe(random.nextLong(Long.MAX_VALUE)))
                .with(ScenarioKeys.MAX_OPEN_CONNECTIONS, maybe(random.nextInt(Integer.MAX_VALUE)))
                .with(ScenarioKeys.LEASES_MATCH_CONNECTIONS, leases && oneIn(2))
                .with(ScenarioKeys.PROMISES_KEPT, oneIn(2));
    }
}
