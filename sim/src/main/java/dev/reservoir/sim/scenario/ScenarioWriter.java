package dev.reservoir.sim.scenario;

import dev.reservoir.sim.scenario.Scenario.Arrival;
import dev.reservoir.sim.scenario.Scenario.Expected;
import dev.reservoir.sim.scenario.Scenario.Fault;
import dev.reservoir.sim.scenario.Scenario.Pool;
import dev.reservoir.sim.scenario.Scenario.Service;
import dev.reservoir.sim.scenario.Scenario.Workload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Writes a scenario as a short, readable file. The file contains only values that differ from the defaults, and lists
 * once what all services have in common. Reading it back gives the same scenario.
 */
public final class ScenarioWriter {
    private final Scenario scenario;
    private final YamlText yaml = new YamlText();

    private ScenarioWriter(Scenario scenario) {
        this.scenario = scenario;
    }

    /** The text of the file. It does not contain the scenario's name, which is the name of the file. */
    public static String toYaml(Scenario scenario) {
        return new ScenarioWriter(scenario).write();
    }

    private String write() {
        yaml.entries(top());
        yaml.entries(expected(scenario.expected()));
        List<Map<String, String>> services = new ArrayList<>();
        scenario.services().forEach(s -> services.add(service(s)));
        Map<String, String> common = common(services);
        if (!common.isEmpty()) {
            yaml.blank();
            yaml.map("defaults", common);
        }
        yaml.blank();
        yaml.list("services", services);
        if (!scenario.faults().isEmpty()) {
            yaml.blank();
            yaml.list("faults", scenario.faults().stream().map(this::fault).toList());
        }
        return yaml.toString();
    }

    /** Moves the entries that all services share into one map. */
    private static Map<String, String> common(List<Map<String, String>> services) {
        Map<String, String> common = new LinkedHashMap<>();
        if (services.size() > 1) {
            services.get(0).forEach((key, value) -> {
                if (!key.equals("name") && services.stream().allMatch(s -> value.equals(s.get(key)))) {
                    common.put(key, value);
                }
            });
            services.forEach(s -> s.keySet().removeAll(common.keySet()));
        }
        return common;
    }

    // Entries: a key and the text of its value.

    private static void put(Map<String, String> map, String key, Duration value, Duration usual) {
        if (!value.equals(usual)) {
            map.put(key, DurationText.format(value));
        }
    }

    private static void put(Map<String, String> map, String key, Latency value, Latency usual) {
        if (!value.equals(usual)) {
            map.put(key, LatencyText.format(value));
        }
    }

    private static void put(Map<String, String> map, String key, double value, double usual) {
        if (Double.compare(value, usual) != 0) {
            map.put(key, Numbers.format(value));
        }
    }

    /** Puts a value that has a text of its own. Null becomes {@code none}. */
    private static void putAny(Map<String, String> map, String key, @Nullable Object value, @Nullable Object usual) {
        if (!Objects.equals(value, usual)) {
            map.put(key, value == null ? "none" : text(value));
        }
    }

    private static String text(Object value) {
        if (value instanceof Duration duration) {
            return DurationText.format(duration);
        }
        if (value instanceof Double number) {
            return Numbers.format(number);
        }
        return value instanceof Enum<?> constant ? Defaults.kebab(constant) : value.toString();
    }

    private static void putMap(Map<String, String> map, String key, Map<String, String> value) {
        if (!value.isEmpty()) {
            map.put(key, YamlText.inline(value));
        }
    }

    private Map<String, String> top() {
        Map<String, String> top = new LinkedHashMap<>();
        putAny(top, "seed", scenario.seed(), Defaults.SEED);
        putAny(top, "endpoint", YamlText.string(scenario.endpoint()), YamlText.string(Defaults.ENDPOINT));
        put(top, "duration", scenario.duration(), Defaults.DURATION);
        put(top, "sampleEvery", scenario.sampleEvery(), Defaults.SAMPLE_EVERY);
        put(top, "limiterPerSec", scenario.limiter().perSecond(), Defaults.LIMITER.perSecond());
        put(top, "burst", scenario.limiter().burst(), Defaults.LIMITER.burst());
        putAny(top, "permits", scenario.limiter().sharing(), Defaults.LIMITER.sharing());
        putMap(top, "coordinator", coordinator());
        putMap(top, "database", database());
        putMap(top, "tokens", tokens());
        return top;
    }

    private Map<String, String> coordinator() {
        Scenario.Coordinator value = scenario.coordinator();
        Scenario.Coordinator usual = Defaults.COORDINATOR;
        Map<String, String> map = new LinkedHashMap<>();
        put(map, "latency", value.latency(), usual.latency());
        put(map, "leaseLimit", value.leaseLimit(), usual.leaseLimit());
        put(map, "leaseTime", value.leaseTime(), usual.leaseTime());
        putAny(map, "whenAway", value.whenAway(), usual.whenAway());
        put(map, "clockSkew", value.clockSkew(), usual.clockSkew());
        put(map, "loseAnswers", value.loseAnswers(), usual.loseAnswers());
        put(map, "conflicts", value.conflicts(), usual.conflicts());
        return map;
    }

    private Map<String, String> database() {
        Scenario.Database value = scenario.database();
        Scenario.Database usual = Defaults.DATABASE;
        Map<String, String> map = new LinkedHashMap<>();
        put(map, "rate", value.ratePerSecond(), usual.ratePerSecond());
        put(map, "burst", value.burst(), usual.burst());
        put(map, "cap", value.cap(), usual.cap());
        put(map, "maxAge", value.maxAge(), usual.maxAge());
        put(map, "handshake", value.handshake(), usual.handshake());
        put(map, "close", value.close(), usual.close());
        put(map, "crashNotice", value.crashNotice(), usual.crashNotice());
        return map;
    }

    private Map<String, String> tokens() {
        Scenario.Tokens value = scenario.tokens();
        Scenario.Tokens usual = Defaults.TOKENS;
        Map<String, String> map = new LinkedHashMap<>();
        put(map, "lifetime", value.lifetime(), usual.lifetime());
        put(map, "renewBefore", value.renewBefore(), usual.renewBefore());
        put(map, "fetch", value.fetch(), usual.fetch());
        return map;
    }

    private Map<String, String> expected(Expected value) {
        Map<String, String> map = new LinkedHashMap<>();
        Object perSecond = value.maxConnectsPerSec();
        putAny(map, "assertMaxConnectsPerSec", perSecond, Defaults.maxConnectsPerSec(scenario.limiter()));
        putAny(map, "assertConvergeWithin", value.convergeWithin(), Defaults.CONVERGE_WITHIN);
        putAny(map, "assertStableFor", value.stableFor(), Defaults.stableFor(value.convergeWithin()));
        putAny(map, "assertMaxClosurePerSec", value.maxClosurePerSec(), Defaults.MAX_CLOSURE_PER_SEC);
        putAny(map, "assertZeroEmptyEvents", value.zeroEmptyEvents(), false);
        putAny(map, "assertMaxWaitP999", value.maxWaitP999(), null);
        putAny(map, "assertMaxWait", value.maxWait(), null);
        putAny(map, "assertMaxTimeouts", value.maxTimeouts(), null);
        putAny(map, "assertMinUsableShare", value.minUsableShare(), null);
        putAny(map, "assertMaxRefusedConnects", value.maxRefusedConnects(), null);
        putAny(map, "assertMaxOpenConnections", value.maxOpenConnections(), null);
        putAny(map, "assertLeasesMatchConnections", value.leasesMatchConnections(), false);
        putAny(map, "assertPromisesKept", value.promisesKept(), false);
        return map;
    }

    private static Map<String, String> service(Service service) {
        Map<String, String> map = new LinkedHashMap<>();
        map.put("name", YamlText.string(service.name()));
        put(map, "instances", service.instances(), 1);
        put(map, "instanceDelay", service.instanceDelay(), Duration.ZERO);
        put(map, "startDelay", service.startDelay(), Duration.ZERO);
        Pool pool = service.pool();
        Pool usual = Defaults.POOL;
        put(map, "targetReady", pool.targetReady(), usual.targetReady());
        put(map, "maxOpen", pool.maxOpen(), pool.targetReady());
        put(map, "lowWatermark", pool.lowWatermark(), pool.targetReady());
        put(map, "guardWindow", pool.guardWindow(), usual.guardWindow());
        // Scenario files call the shortest lifetime baseLifetime.
        put(map, "baseLifetime", pool.shortestLifetime(), usual.shortestLifetime());
        put(map, "jitter", pool.jitter(), usual.jitter());
        put(map, "connectTimeout", pool.connectTimeout(), usual.connectTimeout());
        put(map, "opensInFlightMax", pool.opensInFlightMax(), usual.opensInFlightMax());
        put(map, "successorAllowance", pool.successorAllowance(), usual.successorAllowance());
        put(map, "keepalive", pool.keepalive(), usual.keepalive());
        if (pool.refillPacing() != usual.refillPacing()) {
            map.put("refillPacing", Defaults.kebab(pool.refillPacing()));
        }
        putMap(map, "workload", workload(service.workload()));
        return map;
    }

    private static Map<String, String> workload(Workload value) {
        Workload usual = Defaults.WORKLOAD;
        Map<String, String> map = new LinkedHashMap<>();
        if (value.arrival() == Arrival.NONE) {
            return map;
        }
        if (value.arrival() == Arrival.CLOSED) {
            map.put("enabled", "true");
        } else {
            map.put("arrivals", Defaults.kebab(value.arrival()));
        }
        put(map, "maxInUse", value.maxInUse(), usual.maxInUse());
        put(map, "spawnEvery", value.spawnEvery(), usual.spawnEvery());
        put(map, "arrivalBurst", value.arrivalBurst(), usual.arrivalBurst());
        put(map, "rate", value.ratePerSecond(), usual.ratePerSecond());
        put(map, "burstEvery", value.burstEvery(), usual.burstEvery());
        put(map, "burstSize", value.burstSize(), usual.burstSize());
        if (value.arrival() == Arrival.RECORDED) {
            List<String> times = value.recorded().stream()
                    .map(nanos -> DurationText.format(Duration.ofNanos(nanos)))
                    .toList();
            map.put("times", "[" + String.join(", ", times) + "]");
        }
        put(map, "hold", value.hold(), usual.hold());
        put(map, "maxWait", value.maxWait(), usual.maxWait());
        put(map, "conflicts", value.conflicts(), usual.conflicts());
        return map;
    }

    private Map<String, String> fault(Fault fault) {
        Map<String, String> map = new LinkedHashMap<>();
        map.put("at", DurationText.format(fault.at()));
        map.put("kind", Defaults.kebab(fault.kind()));
        if (!fault.services().isEmpty()) {
            List<String> names = fault.services().stream().map(YamlText::string).toList();
            map.put("services", "[" + String.join(", ", names) + "]");
        }
        put(map, "fraction", fault.fraction(), 1.0);
        put(map, "for", fault.lasts(), Duration.ZERO);
        put(map, "every", fault.every(), Duration.ZERO);
        putAny(map, "byService", fault.byService(), false);
        if (FaultKeys.of(fault.kind()).needed().contains("instances")) {
            map.put("instances", "" + fault.instances());
        }
        if (fault.handshake() != null) {
            map.put("handshake", LatencyText.format(fault.handshake()));
        }
        map.keySet().removeIf(key -> !FaultKeys.of(fault.kind()).knows(key));
        return map;
    }
}
