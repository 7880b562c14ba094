package dev.reservoir.sim.file;

import dev.reservoir.sim.scenario.DurationText;
import dev.reservoir.sim.scenario.Key;
import dev.reservoir.sim.scenario.Scenario;
import dev.reservoir.sim.scenario.Scenario.Arrival;
import dev.reservoir.sim.scenario.Scenario.Fault;
import dev.reservoir.sim.scenario.Scenario.Service;
import dev.reservoir.sim.scenario.Scenario.Workload;
import dev.reservoir.sim.scenario.ScenarioKeys;
import dev.reservoir.sim.scenario.ScenarioPart;
import dev.reservoir.sim.scenario.Section;
import dev.reservoir.sim.scenario.Values;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

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
        yaml.entries(entries(ScenarioKeys.TOP, scenario));
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
            yaml.list(
                    "faults",
                    scenario.faults().stream().map(ScenarioWriter::fault).toList());
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

    /** The keys of a section whose values differ from their defaults. */
    private static Map<String, String> entries(Section section, ScenarioPart<?> part) {
        return entries(section, part, Values.of(part));
    }

    private static Map<String, String> entries(Section section, ScenarioPart<?> part, Values values) {
        Map<String, String> entries = new LinkedHashMap<>();
        for (Key<?, ?> key : section.keys()) {
            Section inner = key.section();
            if (inner != null) {
                put(entries, key, entries(inner, part, values));
            } else if (!key.isStructure() && key.isStored() && key.hasMeaningWith(part.variant())) {
                put(entries, key, part, values);
            }
        }
        return entries;
    }

    private static <T> void put(Map<String, String> entries, Key<?, T> key, ScenarioPart<?> part, Values values) {
        T value = values.get(key);
        Enum<?> variant = part.variant();
        boolean required = key.isRequired() || (variant != null && key.isNeededWith(variant));
        if (required || !Objects.equals(value, key.otherwise(values))) {
            entries.put(key.name(), value == null ? "none" : text(key, value));
        }
    }

    private static <T> String text(Key<?, T> key, T value) {
        return value instanceof String string
                ? YamlText.string(string)
                : key.type().format(value);
    }

    private static void put(Map<String, String> entries, Key<?, ?> key, Map<String, String> value) {
        if (!value.isEmpty()) {
            entries.put(key.name(), YamlText.inline(value));
        }
    }

    private static void put(Map<String, String> entries, Key<?, ?> key, List<String> values) {
        entries.put(key.name(), "[" + String.join(", ", values) + "]");
    }

    private static Map<String, String> service(Service service) {
        Map<String, String> entries = entries(ScenarioKeys.SERVICE, service);
        put(entries, ScenarioKeys.SERVICE_WORKLOAD, workload(service.workload()));
        return entries;
    }

    private static Map<String, String> workload(Workload workload) {
        Map<String, String> entries = new LinkedHashMap<>();
        if (workload.arrival() == Arrival.NONE) {
            return entries;
        }
        if (workload.arrival() == Arrival.CLOSED) {
            entries.put(ScenarioKeys.ENABLED.name(), "true");
        } else {
            entries.put(
                    ScenarioKeys.ARRIVALS.name(), ScenarioKeys.ARRIVALS.type().format(workload.arrival()));
        }
        if (workload.arrival() == Arrival.RECORDED) {
            put(
                    entries,
                    ScenarioKeys.TIMES,
                    workload.recorded().stream()
                            .map(nanos -> DurationText.format(Duration.ofNanos(nanos)))
                            .toList());
        }
        entries.putAll(entries(ScenarioKeys.WORKLOAD, workload));
        return entries;
    }

    private static Map<String, String> fault(Fault fault) {
        Map<String, String> entries = entries(ScenarioKeys.FAULT, fault);
        if (!fault.services().isEmpty()) {
            put(
                    entries,
                    ScenarioKeys.FAULT_SERVICES,
                    fault.services().stream().map(YamlText::string).toList());
        }
        return entries;
    }
}
