package dev.reservoir.sim;

import static dev.reservoir.sim.SmallScenario.time;

import dev.reservoir.sim.scenario.Latency;
import dev.reservoir.sim.scenario.Scenario.Arrival;
import dev.reservoir.sim.scenario.Scenario.Pool;
import dev.reservoir.sim.scenario.Scenario.Service;
import dev.reservoir.sim.scenario.Scenario.Workload;
import dev.reservoir.sim.scenario.ScenarioKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * One service of a {@link SmallScenario}. By default one process, with ten connections for ten minutes, and no work.
 */
public final class SmallService {
    private final String name;
    private int instances = 1;
    private int target = 10;
    private int maxOpen;
    private int lowWatermark;
    private Duration guard = Duration.ofSeconds(1);
    private Duration lifetime = Duration.ofMinutes(10);
    private Duration jitter = Duration.ZERO;
    private Duration connectTimeout = Duration.ofSeconds(10);
    private int opensInFlightMax = 1_000;
    private int allowance = -1;
    private Duration keepalive = Duration.ZERO;
    private Duration startDelay = Duration.ZERO;
    private Duration instanceDelay = Duration.ZERO;
    private Arrival arrival = Arrival.NONE;
    private int maxInUse;
    private Duration spawnEvery = Duration.ofMillis(100);
    private int arrivalBurst = 5;
    private double rate;
    private Duration burstEvery = Duration.ZERO;
    private int burstSize;
    private List<Long> recorded = List.of();
    private Latency hold = Latency.fixed(Duration.ofMillis(10));
    private Duration maxWait = Duration.ofSeconds(5);
    private double conflicts;

    private SmallService(String name) {
        this.name = name;
    }

    public static SmallService service(String name) {
        return new SmallService(name);
    }

    public SmallService instances(int value) {
        instances = value;
        return this;
    }

    public SmallService target(int value) {
        target = value;
        return this;
    }

    public SmallService maxOpen(int value) {
        maxOpen = value;
        return this;
    }

    public SmallService lives(String shortest, String jitterOnTop, String guardWindow) {
        lifetime = time(shortest);
        jitter = time(jitterOnTop);
        guard = time(guardWindow);
        return this;
    }

    public SmallService connectTimeout(String value) {
        connectTimeout = time(value);
        return this;
    }

    public SmallService allowance(int value) {
        allowance = value;
        return this;
    }

    public SmallService keepalive(String value) {
        keepalive = time(value);
        return this;
    }

    public SmallService starts(String delay, String eachLater) {
        startDelay = time(delay);
        instanceDelay = time(eachLater);
        return this;
    }

    // Work.

    public SmallService closed(int inUseAtMost, String every, int atOnce) {
        arrival = Arrival.CLOSED;
        maxInUse = inUseAtMost;
        spawnEvery = time(every);
        arrivalBurst = atOnce;
        return this;
    }

    public SmallService poisson(double perSecond) {
        arrival = Arrival.POISSON;
        rate = perSecond;
        return this;
    }

    public SmallService even(double perSecond) {
        arrival = Arrival.EVEN;
        rate = perSecond;
        return this;
    }

    public SmallService bursts(String every, int size) {
        arrival = Arrival.BURSTS;
        burstEvery = time(every);
        burstSize = size;
        return this;
    }

    public SmallService recorded(String... times) {
        arrival = Arrival.RECORDED;
        List<Long> nanos = new ArrayList<>();
        for (String text : times) {
            nanos.add(time(text).toNanos());
        }
        recorded = List.copyOf(nanos);
        return this;
    }

    public SmallService holds(String value) {
        hold = Latency.fixed(time(value));
        return this;
    }

    public SmallService waitsAtMost(String value) {
        maxWait = time(value);
        return this;
    }

    public SmallService conflicts(double share) {
        conflicts = share;
        return this;
    }

    Service build() {
        Pool pool = ScenarioKeys.defaults(Pool.class)
                .with(ScenarioKeys.TARGET_READY, target)
                .with(ScenarioKeys.MAX_OPEN, Math.max(target, maxOpen))
                .with(ScenarioKeys.LOW_WATERMARK, lowWatermark)
                .with(ScenarioKeys.GUARD_WINDOW, guard)
                .with(ScenarioKeys.BASE_LIFETIME, lifetime)
                .with(ScenarioKeys.JITTER, jitter)
                .with(ScenarioKeys.CONNECT_TIMEOUT, connectTimeout)
                .with(ScenarioKeys.OPENS_IN_FLIGHT_MAX, opensInFlightMax)
                .with(ScenarioKeys.SUCCESSOR_ALLOWANCE, allowance)
                .with(ScenarioKeys.KEEPALIVE, keepalive);
        Workload workload = ScenarioKeys.defaults(Workload.class)
                .with(ScenarioKeys.ARRIVAL, arrival)
                .with(ScenarioKeys.MAX_IN_USE, maxInUse)
                .with(ScenarioKeys.SPAWN_EVERY, spawnEvery)
                .with(ScenarioKeys.ARRIVAL_BURST, arrivalBurst)
                .with(ScenarioKeys.RATE, rate)
                .with(ScenarioKeys.BURST_EVERY, burstEvery)
                .with(ScenarioKeys.BURST_SIZE, burstSize)
                .with(ScenarioKeys.TIMES, recorded)
                .with(ScenarioKeys.HOLD, hold)
                .with(ScenarioKeys.WORKLOAD_MAX_WAIT, maxWait)
                .with(ScenarioKeys.CONFLICTS, conflicts);
        return ScenarioKeys.defaults(Service.class)
                .with(ScenarioKeys.SERVICE_NAME, name)
                .with(ScenarioKeys.INSTANCES, instances)
                .with(ScenarioKeys.POOL, pool)
                .with(ScenarioKeys.START_DELAY, startDelay)
                .with(ScenarioKeys.INSTANCE_DELAY, instanceDelay)
                .with(ScenarioKeys.SERVICE_WORKLOAD, workload);
    }
}
