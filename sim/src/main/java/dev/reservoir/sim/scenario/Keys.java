package dev.reservoir.sim.scenario;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The keys that each part of a scenario file accepts. */
final class Keys {
    static final List<String> TOP = List.of(
            "seed",
            "endpoint",
            "duration",
            "sampleEvery",
            "limiterPerSec",
            "burst",
            "permits",
            "coordinator",
            "database",
            "tokens",
            "scenario",
            "faults",
            "defaults",
            "services",
            "assertMaxConnectsPerSec",
            "assertConvergeWithin",
            "assertStableFor",
            "assertMaxClosurePerSec",
            "assertZeroEmptyEvents",
            "assertMaxWaitP999",
            "assertMaxWait",
            "assertMaxTimeouts",
            "assertMinUsableShare",
            "assertMaxRefusedConnects",
            "assertMaxOpenConnections",
            "assertLeasesMatchConnections",
            "assertPromisesKept");
    static final List<String> COORDINATOR =
            List.of("latency", "leaseLimit", "leaseTime", "whenAway", "clockSkew", "loseAnswers", "conflicts");
    static final List<String> DATABASE = List.of("rate", "burst", "cap", "maxAge", "handshake", "close", "crashNotice");
    static final List<String> TOKENS = List.of("lifetime", "renewBefore", "fetch");
    static final List<String> SCENARIO = List.of("kind", "rollEvery", "dropAt", "dropFraction");
    static final List<String> FAULT =
            List.of("at", "kind", "services", "fraction", "for", "every", "byService", "instances", "handshake");
    static final List<String> DEFAULTS = List.of(
            "instances",
            "instanceDelay",
            "startDelay",
            "targetReady",
            "maxOpen",
            "lowWatermark",
            "guardWindow",
            "baseLifetime",
            "jitter",
            "connectTimeout",
            "opensInFlightMax",
            "successorAllowance",
            "keepalive",
            "refillPacing",
            "workload");
    static final List<String> SERVICE = withName();
    static final List<String> WORKLOAD = List.of(
            "enabled",
            "arrivals",
            "maxInUse",
            "spawnEvery",
            "arrivalBurst",
            "rate",
            "burstEvery",
            "burstSize",
            "file",
            "times",
            "hold",
            "holdTime",
            "holdJitter",
            "maxWait",
            "conflicts");

    private static final Map<String, List<String>> PARTS = parts();

    private Keys() {}

    private static List<String> withName() {
        List<String> keys = new ArrayList<>(List.of("name"));
        keys.addAll(DEFAULTS);
        return List.copyOf(keys);
    }

    private static Map<String, List<String>> parts() {
        Map<String, List<String>> parts = new LinkedHashMap<>();
        parts.put("at the top", TOP);
        parts.put("in a service", SERVICE);
        parts.put("in a workload", WORKLOAD);
        parts.put("in database", DATABASE);
        parts.put("in coordinator", COORDINATOR);
        parts.put("in tokens", TOKENS);
        parts.put("in scenario", SCENARIO);
        parts.put("in a fault", FAULT);
        return parts;
    }

    /** The part that accepts a key, for a key found in the wrong part. Null if no part accepts it. */
    static @Nullable String home(String key) {
        for (Map.Entry<String, List<String>> part : PARTS.entrySet()) {
            if (part.getValue().contains(key)) {
                return part.getKey();
            }
        }
        return null;
    }
}
