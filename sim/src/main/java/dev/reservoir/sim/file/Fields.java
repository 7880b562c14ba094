package dev.reservoir.sim.file;

import dev.reservoir.sim.scenario.DurationText;
import dev.reservoir.sim.scenario.Key;
import dev.reservoir.sim.scenario.Latency;
import dev.reservoir.sim.scenario.ScenarioKeys;
import dev.reservoir.sim.scenario.Section;
import dev.reservoir.sim.scenario.ValueType;
import dev.reservoir.sim.scenario.Values;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/**
 * One map of a scenario file, read key by key. Notes each mistake and continues with the default, so that one pass
 * finds all mistakes. Never throws because of the content of the file.
 */
final class Fields {
    private static final String NONE = "none";
    private static final String OR_NONE = ", or none";

    private final Mistakes mistakes;
    private final Node where;
    private final Map<String, Entry> own = new LinkedHashMap<>();
    private final Set<Key<?, ?>> wrong = new HashSet<>();

    /** The defaults for keys that this map does not contain. */
    private final @Nullable Fields behind;

    private record Entry(Node key, Node value) {}

    private Fields(Node where, Mistakes mistakes, @Nullable Fields behind) {
        this.where = where;
        this.mistakes = mistakes;
        this.behind = behind;
    }

    /** Reads the keys of a map. Notes a mistake if the node is not a map, and then treats it as an empty map. */
    static Fields of(Node node, String name, List<String> known, Mistakes mistakes, @Nullable Fields behind) {
        Fields fields = new Fields(node, mistakes, behind);
        if (node instanceof MappingNode map) {
            fields.collect(map, known);
            fields.merge(map, known, Collections.newSetFromMap(new IdentityHashMap<>()));
        } else if (!isNull(node)) {
            mistakes.shape(node, name, "a map with " + String.join(", ", known));
        }
        return fields;
    }

    private void collect(MappingNode map, List<String> known) {
        for (NodeTuple tuple : map.getValue()) {
            Node keyNode = tuple.getKeyNode();
            if (!(keyNode instanceof ScalarNode scalar)) {
                mistakes.shape(keyNode, "a key", "a word");
                continue;
            }
            String key = scalar.getValue();
            Entry first = own.get(key);
            if (first != null) {
                mistakes.twice(keyNode, key, first.key());
            } else if (known.contains(key)) {
                own.put(key, new Entry(keyNode, tuple.getValueNode()));
            } else if (!isMerge(scalar)) {
                unknown(keyNode, key, known);
            }
        }
    }

    private void unknown(Node keyNode, String key, List<String> known) {
        String place = ScenarioKeys.place(key);
        if (place == null) {
            mistakes.unknownKey(keyNode, key, known);
        } else {
            mistakes.place(keyNode, key, place);
        }
    }

    private static boolean isMerge(ScalarNode key) {
        return key.isPlain() && key.getValue().equals("<<");
    }

    /**
     * Handles {@code <<: *anchor} of older YAML: keys missing in this map come from the other maps. Merges each map
     * only once.
     */
    private void merge(MappingNode map, List<String> known, Set<Node> seen) {
        if (!seen.add(map)) {
            return;
        }
        for (NodeTuple tuple : map.getValue()) {
            if (tuple.getKeyNode() instanceof ScalarNode key && isMerge(key)) {
                Node value = tuple.getValueNode();
                List<Node> sources = value instanceof SequenceNode list ? list.getValue() : List.of(value);
                for (Node source : sources) {
                    if (source instanceof MappingNode other) {
                        Fields theirs = new Fields(other, mistakes, null);
                        theirs.collect(other, known);
                        theirs.own.forEach(own::putIfAbsent);
                        merge(other, known, seen);
                    } else {
                        mistakes.shape(source, "<<", "a map, or a list of maps");
                    }
                }
            }
        }
    }

    private static boolean isNull(Node node) {
        return node instanceof ScalarNode scalar
                && scalar.isPlain()
                && List.of("", "~", "null").contains(scalar.getValue());
    }

    // Keys.

    Node where() {
        return where;
    }

    Mistakes mistakes() {
        return mistakes;
    }

    /** Whether this map itself contains the key. */
    boolean hasOwn(Key<?, ?> key) {
        return own.containsKey(key.name());
    }

    /** Whether this map or its defaults contain the key. */
    boolean has(Key<?, ?> key) {
        return find(key) != null;
    }

    /** Whether none of these keys has a wrong value. */
    boolean areRight(Key<?, ?>... keys) {
        for (Key<?, ?> key : keys) {
            if (wrong.contains(key)) {
                return false;
            }
        }
        return true;
    }

    private @Nullable Node find(Key<?, ?> key) {
        Entry entry = own.get(key.name());
        if (entry != null) {
            return entry.value();
        }
        return behind == null ? null : behind.find(key);
    }

    /**
     * The value of the first of these keys that this map contains, or else its defaults. The map itself if there is
     * none. Used for the position of a mistake.
     */
    Node at(Key<?, ?>... keys) {
        for (Key<?, ?> key : keys) {
            Entry entry = own.get(key.name());
            if (entry != null) {
                return entry.value();
            }
        }
        for (Key<?, ?> key : keys) {
            Node node = find(key);
            if (node != null) {
                return node;
            }
        }
        return where;
    }

    /** Notes that the value of a key does not fit the values of other keys. */
    void refuse(Node at, Key<?, ?> key, String value, String allowed) {
        wrong.add(key);
        mistakes.value(at, key.name(), value, allowed, null);
    }

    void refuse(Node at, Key<?, ?> key, Duration value, String allowed) {
        refuse(at, key, DurationText.format(value), allowed);
    }

    /** Notes that this map contains a key that has no meaning in it. */
    void refusePlace(Key<?, ?> key, String allowed) {
        Entry entry = own.get(key.name());
        if (entry != null) {
            mistakes.place(entry.key(), key.name(), allowed);
        }
    }

    /** Whether the key is present. Notes a mistake if it is not. */
    boolean require(Key<?, ?> key) {
        if (has(key)) {
            return true;
        }
        wrong.add(key);
        mistakes.missing(where, key.name(), key.missing());
        return false;
    }

    /**
     * Notes keys of this map that have no meaning with a choice that the map makes.
     *
     * @param variant the choice
     * @param choice the key of the choice
     * @param or stands between the choices that give a key a meaning
     */
    void refuseMeaningless(Section section, Enum<?> variant, Key<?, ?> choice, String or) {
        for (Key<?, ?> key : section.keys()) {
            if (!key.hasMeaningWith(variant)) {
                List<String> words =
                        key.onlyWith().stream().map(ValueType::kebab).toList();
                refusePlace(key, "with " + choice.name() + " " + String.join(or, words));
            }
        }
    }

    /** Notes keys that a choice needs and that are missing. */
    void requireNeeded(Section section, Enum<?> variant) {
        for (Key<?, ?> key : section.keys()) {
            if (key.isNeededWith(variant)) {
                require(key);
            }
        }
    }

    // Values.

    /**
     * The values of all keys of a section and of the maps in it. Leaves out lists, and maps that are read in a way of
     * their own. Notes each wrong value, and leaves it to its default.
     */
    Values values(Section section) {
        Values values = new Values();
        readInto(values, section);
        return values;
    }

    private void readInto(Values values, Section section) {
        for (Key<?, ?> key : section.keys()) {
            Section inner = key.section();
            if (inner != null) {
                map(key, inner.names()).readInto(values, inner);
            } else if (!key.isStructure()) {
                read(key, values);
            }
        }
    }

    private <T> void read(Key<?, T> key, Values values) {
        Node node = find(key);
        if (node == null) {
            return;
        }
        if (node instanceof MappingNode && key.type() == ValueType.LATENCY) {
            values.put(asLatency(key), latency(node, key));
            return;
        }
        String text = node instanceof ScalarNode scalar ? scalar.getValue() : "";
        boolean none = key.acceptsNone() && text.equals(NONE);
        T value = none || !(node instanceof ScalarNode) ? null : key.type().parse(text);
        if (none || value != null) {
            values.put(key, value);
            return;
        }
        wrong.add(key);
        String allowed = key.type().expected(text) + (key.acceptsNone() ? OR_NONE : "");
        mistakes.value(at(key), key.name(), allowed, key.type().words());
    }

    @SuppressWarnings("unchecked") // the type of the key has been checked
    private static Key<?, Latency> asLatency(Key<?, ?> key) {
        return (Key<?, Latency>) key;
    }

    /** Reads a latency that is a map. */
    private Latency latency(Node node, Key<?, ?> key) {
        Fields map = Fields.of(node, key.name(), ScenarioKeys.LATENCY.names(), mistakes, null);
        Values values = map.values(ScenarioKeys.LATENCY);
        if (map.hasOwn(ScenarioKeys.MEAN)) {
            map.refusePlace(ScenarioKeys.MEDIAN, "without mean");
            map.refusePlace(ScenarioKeys.P99, "without mean");
            return Latency.exponential(values.get(ScenarioKeys.MEAN));
        }
        boolean both = map.require(ScenarioKeys.MEDIAN);
        both &= map.require(ScenarioKeys.P99);
        Duration median = values.get(ScenarioKeys.MEDIAN);
        Duration p99 = values.get(ScenarioKeys.P99);
        if (both && map.areRight(ScenarioKeys.MEDIAN, ScenarioKeys.P99) && p99.compareTo(median) < 0) {
            map.refuse(
                    map.at(ScenarioKeys.P99),
                    ScenarioKeys.P99,
                    p99,
                    "at least the median (" + DurationText.format(median) + ")");
        }
        return Latency.logNormal(median, p99);
    }

    /** The map under a key; an empty one if the key is missing. Defaults apply inside it as well. */
    Fields map(Key<?, ?> key, List<String> known) {
        Entry entry = own.get(key.name());
        Fields inherited = behind == null ? null : behind.map(key, known);
        return entry == null
                ? new Fields(where, mistakes, inherited)
                : Fields.of(entry.value(), key.name(), known, mistakes, inherited);
    }

    /** The entries of the list under a key; empty if the key is missing. */
    List<Node> list(Key<?, ?> key, String allowed) {
        Node node = find(key);
        if (node instanceof SequenceNode list) {
            return new ArrayList<>(list.getValue());
        }
        if (node != null && !isNull(node)) {
            wrong.add(key);
            mistakes.shape(node, key.name(), allowed);
        }
        return List.of();
    }
}
