package dev.reservoir.sim.scenario;

import dev.reservoir.core.RefillPacing;
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
import org.jspecify.annotations.Nullable;

/** Any scenario that a file can say, with odd numbers and names, drawn from a seed. Made to be written, not to be run. */
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
            services.add(new Service(
                    NAMES.get(i),
                    oneIn(2) ? 1 : 1 + random.nextInt(9),
                    alike ? pool : pool(),
                    oneIn(2) ? Duration.ZERO : time(Duration.ZERO, duration.dividedBy(2)),
                    oneIn(2) ? Duration.ZERO : time(Duration.ZERO, duration.dividedBy(20)),
                    alike ? workload : workload()));
        }
        Coordinator coordinator = new Coordinator(
                latency(),
                random.nextInt(3),
                time(Duration.ofSeconds(3), Duration.ofHours(1)),
                pick(WhenAway.values()),
                oneIn(2) ? Duration.ZERO : time(Duration.ZERO, DAY),
                oneIn(2) ? 0 : number(0, 0.5),
                oneIn(2) ? 0 : number(0, 0.5));
        return new Scenario(
                "random-" + seed,
                random.nextLong(),
                oneIn(2) ? Defaults.ENDPOINT : NAMES.get(random.nextInt(NAMES.size())),
                duration,
                duration.dividedBy(1 + random.nextInt(100)),
                new Limiter(number(0.001, 1000), oneIn(2) ? 1 : 1 + random.nextInt(1000), pick(Sharing.values())),
                coordinator,
                new Database(
                        oneIn(2) ? 0 : number(0, 1000),
                        random.nextInt(3),
                        random.nextInt(3),
                        time(Duration.ZERO, DAY),
                        latency(),
                        latency(),
                        time(Duration.ZERO, DAY)),
                new Tokens(time(Duration.ZERO, DAY), time(Duration.ZERO, DAY), latency()),
                List.copyOf(services),
                faults(services),
                expected(coordinator.leaseLimit() > 0));
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

    /** Of any precision. */
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
        return new Pool(
                target,
                oneIn(2) ? target : target + random.nextInt(10),
                oneIn(2) ? target : random.nextInt(target + 1),
                time(Duration.ZERO, base.minusNanos(1)),
                base,
                oneIn(3) ? Duration.ZERO : time(Duration.ZERO, base.multipliedBy(2)),
                time(Duration.ofNanos(1), DAY),
                1 + random.nextInt(200),
                random.nextInt(10) - 1,
                time(Duration.ZERO, DAY),
                pick(RefillPacing.values()));
    }

    private Workload workload() {
        Arrival arrival = pick(Arrival.values());
        Workload usual = Defaults.WORKLOAD;
        if (arrival == Arrival.NONE) {
            return usual;
        }
        Duration step = time(Duration.ofMillis(1), DAY);
        List<Long> times = new ArrayList<>();
        for (int i = random.nextInt(5); i > 0; i--) {
            times.add(time(Duration.ZERO, DAY).toNanos());
        }
        times.sort(null);
        boolean closed = arrival == Arrival.CLOSED;
        boolean bursts = arrival == Arrival.BURSTS;
        boolean atRate = arrival == Arrival.POISSON || arrival == Arrival.EVEN;
        return new Workload(
                arrival,
                closed ? random.nextInt(50) : usual.maxInUse(),
                closed ? step : usual.spawnEvery(),
                closed ? 1 + random.nextInt(50) : usual.arrivalBurst(),
                atRate ? number(0.001, 1000) : usual.ratePerSecond(),
                bursts ? step : usual.burstEvery(),
                bursts ? 1 + random.nextInt(50) : usual.burstSize(),
                arrival == Arrival.RECORDED ? List.copyOf(times) : usual.recorded(),
                oneIn(3) ? usual.hold() : latency(),
                time(Duration.ofNanos(1), DAY),
                oneIn(2) ? 0 : number(0, 1));
    }

    private List<Fault> faults(List<Service> services) {
        List<Fault> faults = new ArrayList<>();
        for (int i = random.nextInt(6); i > 0; i--) {
            FaultKind kind = pick(FaultKind.values());
            List<String> keys = FaultKeys.of(kind).known();
            List<String> whom = services.stream()
                    .map(Service::name)
                    .filter(name -> keys.contains("services") && oneIn(2))
                    .toList();
            faults.add(new Fault(
                    time(Duration.ZERO, duration.minusNanos(1)),
                    kind,
                    whom,
                    keys.contains("fraction") ? number(0, 1) : 1,
                    keys.contains("for") ? time(Duration.ofNanos(1), DAY) : Duration.ZERO,
                    keys.contains("every") ? time(Duration.ZERO, DAY) : Duration.ZERO,
                    keys.contains("byService") && oneIn(2),
                    keys.contains("instances") ? random.nextInt(5) : 0,
                    keys.contains("handshake") ? latency() : null));
        }
        faults.sort(Comparator.comparing(Fault::at));
        return List.copyOf(faults);
    }

    private <T> @Nullable T maybe(T value) {
        return oneIn(2) ? value : null;
    }

    private Expected expected(boolean leases) {
        return new Expected(
                maybe(random.nextInt(1000)),
                maybe(time(Duration.ofNanos(1), DAY)),
                maybe(time(Duration.ZERO, DAY)),
                maybe(random.nextInt(1000)),
                oneIn(2),
                maybe(time(Duration.ZERO, DAY)),
                maybe(time(Duration.ZERO, DAY)),
                maybe(random.nextLong(Long.MAX_VALUE)),
                maybe(number(0, 1)),
                maybe(random.nextLong(Long.MAX_VALUE)),
                maybe(random.nextInt(Integer.MAX_VALUE)),
                leases && oneIn(2),
                oneIn(2));
    }
}
