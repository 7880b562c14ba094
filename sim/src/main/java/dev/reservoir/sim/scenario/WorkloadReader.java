package dev.reservoir.sim.scenario;

import dev.reservoir.sim.scenario.Scenario.Arrival;
import dev.reservoir.sim.scenario.Scenario.Workload;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Reads the workload of one service. */
final class WorkloadReader {
    private static final int IN_USE_MAX = 1_000_000;
    private static final double RATE_LEAST = 0.000001;
    private static final double RATE_MOST = 1_000_000;

    /** Longest hold time and hold jitter. Their sum stays within the longest latency. */
    private static final Duration HOLD_MOST = LatencyText.MOST.dividedBy(2);

    private static final Duration STEP_LEAST = Duration.ofMillis(1);

    /** The keys that only some arrival patterns accept. */
    private static final Map<Arrival, List<String>> PARTICULAR = new EnumMap<>(Map.of(
            Arrival.CLOSED, List.of("maxInUse", "spawnEvery", "arrivalBurst"),
            Arrival.POISSON, List.of("rate"),
            Arrival.EVEN, List.of("rate"),
            Arrival.BURSTS, List.of("burstEvery", "burstSize"),
            Arrival.RECORDED, List.of("file", "times")));

    private final Fields fields;
    private final Recordings recordings;

    /**
     * Whether this is the workload of a service, which must be complete. The defaults may leave keys to the services.
     */
    private final boolean complete;

    WorkloadReader(Fields fields, Recordings recordings, boolean complete) {
        this.fields = fields;
        this.recordings = recordings;
        this.complete = complete;
    }

    Workload read() {
        Arrival arrival = arrival();
        if (fields.areRight("enabled", "arrivals") && (complete || fields.hasOwn("arrivals"))) {
            checkPlaces(arrival);
        }
        checkHold();
        Workload all = values(arrival);
        return arrival == Arrival.NONE ? Defaults.WORKLOAD : all;
    }

    /**
     * A workload is on if {@code enabled} says so, or if {@code enabled} is missing and {@code arrivals} is present.
     */
    private Arrival arrival() {
        boolean enabled = fields.yesNo("enabled", fields.has("arrivals"));
        Arrival arrival = fields.choice("arrivals", Arrival.CLOSED, Defaults.ARRIVALS);
        return enabled ? arrival : Arrival.NONE;
    }

    /** Checks only the keys of this map itself, because defaults may contain keys of several arrival patterns. */
    private void checkPlaces(Arrival arrival) {
        if (arrival != Arrival.NONE) {
            PARTICULAR.forEach((of, keys) -> keys.stream()
                    .filter(key -> !PARTICULAR.getOrDefault(arrival, List.of()).contains(key))
                    .filter(fields::hasOwn)
                    .forEach(key -> fields.mistakes().place(fields.keyAt(key), key, "with arrivals " + knowing(key))));
        }
    }

    private void checkHold() {
        if (fields.hasOwn("hold")) {
            for (String key : List.of("holdTime", "holdJitter")) {
                if (fields.hasOwn(key)) {
                    fields.mistakes().place(fields.keyAt(key), key, "without hold");
                }
            }
        }
    }

    private static String knowing(String key) {
        return String.join(
                " or ",
                PARTICULAR.entrySet().stream()
                        .filter(e -> e.getValue().contains(key))
                        .map(e -> Defaults.kebab(e.getKey()))
                        .toList());
    }

    private Workload values(Arrival arrival) {
        Workload usual = Defaults.WORKLOAD;
        boolean closed = arrival == Arrival.CLOSED;
        int maxInUse = fields.whole("maxInUse", usual.maxInUse(), 0, IN_USE_MAX);
        Duration spawnEvery = fields.duration("spawnEvery", usual.spawnEvery(), STEP_LEAST, Fields.YEAR);
        int arrivalBurst = fields.whole("arrivalBurst", usual.arrivalBurst(), 1, IN_USE_MAX);
        boolean atRate = arrival == Arrival.POISSON || arrival == Arrival.EVEN;
        if (atRate && complete) {
            fields.require("rate", "checkouts a second of each process");
        }
        double rate = fields.number("rate", RATE_LEAST, RATE_LEAST, RATE_MOST);
        boolean bursts = arrival == Arrival.BURSTS;
        if (bursts && complete) {
            fields.require("burstEvery", "how often a burst comes, a duration");
            fields.require("burstSize", "how many checkouts come at once");
        }
        Duration burstEvery = fields.duration("burstEvery", STEP_LEAST, STEP_LEAST, Fields.YEAR);
        int burstSize = fields.whole("burstSize", 1, 1, IN_USE_MAX);
        return new Workload(
                arrival,
                closed ? maxInUse : usual.maxInUse(),
                closed ? spawnEvery : usual.spawnEvery(),
                closed ? arrivalBurst : usual.arrivalBurst(),
                atRate ? rate : usual.ratePerSecond(),
                bursts ? burstEvery : usual.burstEvery(),
                bursts ? burstSize : usual.burstSize(),
                arrival == Arrival.RECORDED ? recordings.read(fields, complete) : usual.recorded(),
                hold(),
                fields.duration("maxWait", usual.maxWait(), Fields.TINY, Fields.YEAR),
                fields.number("conflicts", usual.conflicts(), 0, 1));
    }

    private Latency hold() {
        Duration time = fields.duration("holdTime", Defaults.HOLD_TIME, Fields.ZERO, HOLD_MOST);
        Duration jitter = fields.duration("holdJitter", Fields.ZERO, Fields.ZERO, HOLD_MOST);
        Latency inGo = jitter.isZero() ? Latency.fixed(time) : Latency.uniform(time, time.plus(jitter));
        Latency hold = fields.latency("hold", inGo);
        boolean saidInGo = fields.hasOwn("holdTime") || fields.hasOwn("holdJitter");
        return saidInGo && !fields.hasOwn("hold") ? inGo : hold;
    }
}
