package dev.reservoir.sim.scenario;

import dev.reservoir.sim.scenario.Scenario.FaultKind;
import java.util.ArrayList;
import java.util.List;

/**
 * The keys that a kind of fault accepts besides {@code at} and {@code kind}.
 *
 * @param needed keys that the fault must have
 * @param known keys that the fault may have, including the needed ones
 */
record FaultKeys(List<String> needed, List<String> known) {
    static FaultKeys of(FaultKind kind) {
        return switch (kind) {
            case DROP -> keys(List.of(), "services", "fraction");
            case RESTART -> keys(List.of(), "services", "every", "byService");
            case CRASH -> keys(List.of(), "services", "fraction", "for");
            case HANG -> keys(List.of("for"), "services", "fraction");
            case SCALE -> keys(List.of("instances"), "services");
            case COORDINATOR_OUTAGE, TOKEN_OUTAGE, DATABASE_OUTAGE, WRITES_THROTTLED -> keys(List.of("for"));
            case HUNG_CONNECTS -> keys(List.of("for"), "fraction");
            case SLOW_CONNECTS -> keys(List.of("for", "handshake"));
        };
    }

    private static FaultKeys keys(List<String> needed, String... optional) {
        List<String> known = new ArrayList<>(needed);
        known.addAll(List.of(optional));
        return new FaultKeys(needed, List.copyOf(known));
    }

    boolean knows(String key) {
        return key.equals("at") || key.equals("kind") || known.contains(key);
    }

    /** Notes keys that are missing and keys that have no meaning for this kind. */
    void check(Fields fault) {
        for (String key : needed) {
            fault.require(key, meaning(key));
        }
        for (String key : Keys.FAULT) {
            if (!knows(key) && fault.hasOwn(key)) {
                fault.mistakes().place(fault.keyAt(key), key, "with kind " + kindsKnowing(key));
            }
        }
    }

    private static String meaning(String key) {
        return switch (key) {
            case "for" -> "how long it lasts, a duration more than 0";
            case "instances" -> "the new number of processes of each service";
            default -> "how long connects take then, such as 2s or 1s..5s";
        };
    }

    private static String kindsKnowing(String key) {
        List<String> kinds = new ArrayList<>();
        for (FaultKind kind : FaultKind.values()) {
            if (of(kind).known().contains(key)) {
                kinds.add(Defaults.kebab(kind));
            }
        }
        return String.join(", ", kinds);
    }
}
