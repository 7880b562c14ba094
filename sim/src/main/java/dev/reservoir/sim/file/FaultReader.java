package dev.reservoir.sim.file;

import static dev.reservoir.sim.scenario.ScenarioKeys.AT;
import static dev.reservoir.sim.scenario.ScenarioKeys.DROP_AT;
import static dev.reservoir.sim.scenario.ScenarioKeys.FAULTS;
import static dev.reservoir.sim.scenario.ScenarioKeys.FAULT_SERVICES;
import static dev.reservoir.sim.scenario.ScenarioKeys.FOR;
import static dev.reservoir.sim.scenario.ScenarioKeys.GO_KIND;
import static dev.reservoir.sim.scenario.ScenarioKeys.KIND;

import dev.reservoir.sim.scenario.DurationText;
import dev.reservoir.sim.scenario.Key;
import dev.reservoir.sim.scenario.Scenario.Fault;
import dev.reservoir.sim.scenario.Scenario.FaultKind;
import dev.reservoir.sim.scenario.Scenario.GoScenario;
import dev.reservoir.sim.scenario.ScenarioKeys;
import dev.reservoir.sim.scenario.Values;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/** Reads the list of faults, and the single {@code scenario} of files for the Go simulator. */
final class FaultReader {
    private static final String A_LIST = "a list of faults, each a map with at and kind";
    private static final String NAMES = "the name of a service, or a list of names";
    private static final int FAULTS_MAX = 10_000;

    /** Time at which a rolling restart of the Go simulator begins. */
    private static final Duration ROLL_AT = Duration.ofMinutes(5);

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
        Fault first = goScenario(top.map(ScenarioKeys.SCENARIO, ScenarioKeys.GO_SCENARIO.names()));
        if (first != null) {
            faults.add(first);
        }
        List<Node> nodes = top.list(FAULTS, A_LIST);
        if (nodes.size() > FAULTS_MAX) {
            top.refuse(top.at(FAULTS), FAULTS, nodes.size() + " faults", "at most " + FAULTS_MAX);
            return List.of();
        }
        for (Node node : nodes) {
            faults.add(fault(Fields.of(node, "a fault", ScenarioKeys.FAULT.names(), mistakes, null)));
        }
        faults.sort(Comparator.comparing(Fault::at));
        return List.copyOf(faults);
    }

    private @Nullable Fault goScenario(Fields fields) {
        Values values = fields.values(ScenarioKeys.GO_SCENARIO);
        Fault fault = ScenarioKeys.defaults(Fault.class);
        switch (values.get(GO_KIND)) {
            case ROLLING_RESTART -> {
                String allowed = "with a duration over " + DurationText.format(ROLL_AT) + ", when it begins";
                within(fields, GO_KIND, ROLL_AT, GO_KIND.type().format(GoScenario.ROLLING_RESTART), allowed);
                return fault.with(AT, ROLL_AT)
                        .with(KIND, FaultKind.RESTART)
                        .with(ScenarioKeys.EVERY, values.get(ScenarioKeys.ROLL_EVERY))
                        .with(ScenarioKeys.BY_SERVICE, true);
            }
            case MASS_DROP -> {
                within(fields, DROP_AT, values.get(DROP_AT));
                return fault.with(AT, values.get(DROP_AT))
                        .with(KIND, FaultKind.DROP)
                        .with(ScenarioKeys.FRACTION, values.get(ScenarioKeys.DROP_FRACTION));
            }
            case COLD_START -> {
                return null;
            }
        }
        throw new IllegalStateException("bug: no fault for " + values.get(GO_KIND));
    }

    private void within(Fields fields, Key<?, Duration> key, Duration at) {
        String allowed = "a duration less than the scenario's (" + DurationText.format(duration) + ")";
        within(fields, key, at, DurationText.format(at), allowed);
    }

    /** Notes a mistake if an event lies after the end of the scenario, because nobody intends that. */
    private void within(Fields fields, Key<?, ?> key, Duration at, String value, String allowed) {
        if (fields.areRight(key) && at.compareTo(duration) >= 0) {
            fields.refuse(fields.at(key, KIND), key, value, allowed);
        }
    }

    private Fault fault(Fields fields) {
        fields.require(AT);
        fields.require(KIND);
        Values values = fields.values(ScenarioKeys.FAULT);
        FaultKind kind = values.get(KIND);
        if (fields.areRight(KIND)) {
            fields.requireNeeded(ScenarioKeys.FAULT, kind);
            fields.refuseMeaningless(ScenarioKeys.FAULT, kind, KIND, ", ");
        }
        within(fields, AT, values.get(AT));
        if (fields.has(FOR)
                && fields.areRight(FOR)
                && kind != FaultKind.CRASH
                && values.get(FOR).isZero()) {
            fields.refuse(fields.at(FOR), FOR, values.get(FOR), "a duration such as 90s or 1m30s, more than 0");
        }
        values.put(FAULT_SERVICES, names(fields));
        return values.build(Fault.class);
    }

    private List<String> names(Fields fields) {
        if (!fields.has(FAULT_SERVICES)) {
            return List.of();
        }
        Node one = fields.at(FAULT_SERVICES);
        List<Node> nodes = one instanceof ScalarNode ? List.of(one) : fields.list(FAULT_SERVICES, NAMES);
        List<String> names = new ArrayList<>();
        for (Node node : nodes) {
            if (!(node instanceof ScalarNode name)) {
                mistakes.shape(node, "services", "the name of a service");
            } else if (services.contains(name.getValue())) {
                names.add(name.getValue());
            } else {
                mistakes.value(node, "services", "one of " + String.join(", ", services), services);
            }
        }
        return List.copyOf(names);
    }
}
