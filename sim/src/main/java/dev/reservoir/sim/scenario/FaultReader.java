package dev.reservoir.sim.scenario;

import dev.reservoir.sim.scenario.Scenario.Fault;
import dev.reservoir.sim.scenario.Scenario.FaultKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/** Reads the list of faults, and the single {@code scenario} of files for the Go simulator. */
final class FaultReader {
    private static final String A_LIST = "a list of faults, each a map with at and kind";
    private static final String SERVICES = "the name of a service, or a list of names";
    private static final int FAULTS_MAX = 10_000;

    /** Time at which a rolling restart of the Go simulator begins. */
    private static final Duration ROLL_AT = Duration.ofMinutes(5);

    private static final Duration ROLL_EVERY = Duration.ofSeconds(60);
    private static final Duration DROP_AT = Duration.ofMinutes(5);
    private static final double DROP_FRACTION = 0.5;

    /** The kinds of the Go simulator's {@code scenario}. */
    private enum GoKind {
        COLD_START,
        ROLLING_RESTART,
        MASS_DROP;

        private String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final Fields top;
    private final Duration duration;
    private final Set<String> services;
    private final Mistakes mistakes;

    FaultReader(Fields top, Duration duration, Set<String> services) {
        this.top = top;
        this.duration = duration;
        this.services = services;
        this.mistakes = top.mistakes();
    }

    /** Reads all faults, ordered by time. */
    List<Fault> read() {
        List<Fault> faults = new ArrayList<>();
        Fault first = scenario(top.map("scenario", Keys.SCENARIO));
        if (first != null) {
            faults.add(first);
        }
        List<Node> nodes = top.list("faults", A_LIST);
        if (nodes.size() > FAULTS_MAX) {
            top.refuse(top.at("faults"), "faults", nodes.size() + " faults", "at most " + FAULTS_MAX);
            return List.of();
        }
        for (Node node : nodes) {
            faults.add(fault(Fields.of(node, "a fault", Keys.FAULT, mistakes, null)));
        }
        faults.sort(Comparator.comparing(Fault::at));
        return List.copyOf(faults);
    }

    private @Nullable Fault scenario(Fields fields) {
        GoKind kind = fields.choice("kind", GoKind.COLD_START, Defaults.words(GoKind.values(), GoKind::word));
        Duration rollEvery = fields.duration("rollEvery", ROLL_EVERY, Fields.ZERO, Fields.YEAR);
        Duration dropAt = fields.duration("dropAt", DROP_AT, Fields.ZERO, Fields.YEAR);
        double dropFraction = fields.number("dropFraction", DROP_FRACTION, 0, 1);
        Duration none = Duration.ZERO;
        switch (kind) {
            case ROLLING_RESTART -> {
                within(fields, "kind", ROLL_AT, kind.word());
                return new Fault(ROLL_AT, FaultKind.RESTART, List.of(), 1, none, rollEvery, true, 0, null);
            }
            case MASS_DROP -> {
                within(fields, "dropAt", dropAt, DurationText.format(dropAt));
                return new Fault(dropAt, FaultKind.DROP, List.of(), dropFraction, none, none, false, 0, null);
            }
            case COLD_START -> {
                return null;
            }
        }
        throw new IllegalStateException("bug: no fault for " + kind);
    }

    /** Notes a mistake if an event lies after the end of the scenario, because nobody intends that. */
    private void within(Fields fields, String key, Duration at, String value) {
        if (fields.areRight(key) && at.compareTo(duration) >= 0) {
            String allowed = key.equals("kind")
                    ? "with a duration over " + DurationText.format(at) + ", when it begins"
                    : "a duration less than the scenario's (" + DurationText.format(duration) + ")";
            fields.refuse(fields.at(key, "kind"), key, value, allowed);
        }
    }

    private Fault fault(Fields fields) {
        fields.require("at", "when it happens, a duration since the beginning");
        fields.require("kind", "one of " + String.join(", ", Defaults.FAULT_KINDS.keySet()));
        FaultKind kind = fields.choice("kind", FaultKind.DROP, Defaults.FAULT_KINDS);
        FaultKeys keys = FaultKeys.of(kind);
        if (fields.areRight("kind")) {
            keys.check(fields);
        }
        Duration at = fields.duration("at", Fields.ZERO, Fields.ZERO, Fields.YEAR);
        within(fields, "at", at, DurationText.format(at));
        Duration least = kind == FaultKind.CRASH ? Fields.ZERO : Fields.TINY;
        return new Fault(
                at,
                kind,
                names(fields),
                fields.number("fraction", 1, 0, 1),
                fields.duration("for", Fields.ZERO, least, Fields.YEAR),
                fields.duration("every", Fields.ZERO, Fields.ZERO, Fields.YEAR),
                fields.yesNo("byService", false),
                fields.whole("instances", 0, 0, ServiceReader.INSTANCES_MAX),
                fields.has("handshake") ? fields.latency("handshake", Defaults.DATABASE.handshake()) : null);
    }

    private List<String> names(Fields fields) {
        if (!fields.has("services")) {
            return List.of();
        }
        Node one = fields.at("services");
        List<Node> nodes = one instanceof ScalarNode ? List.of(one) : fields.list("services", SERVICES);
        List<String> names = new ArrayList<>();
        for (Node node : nodes) {
            if (!(node instanceof ScalarNode name)) {
                mistakes.shape(node, "services", "the name of a service");
            } else if (services.contains(name.getValue())) {
                names.add(name.getValue());
            } else {
                mistakes.choice(node, "services", services);
            }
        }
        return List.copyOf(names);
    }
}
