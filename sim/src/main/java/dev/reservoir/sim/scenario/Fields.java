package dev.reservoir.sim.scenario;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
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
    static final Duration ZERO = Duration.ZERO;

    /** Lower bound for durations that must be greater than 0. */
    static final Duration TINY = Duration.ofNanos(1);

    /** Longest duration that a scenario may contain. */
    static final Duration YEAR = Duration.ofDays(365);

    /** Stands for a map or a list where a single value is expected. No value can be read from it. */
    private static final String NO_SCALAR = "\0";

    private static final String OR_NONE = ", or none";

    private final Mistakes mistakes;
    private final Node where;
    private final Map<String, Entry> own = new LinkedHashMap<>();
    private final Set<String> wrong = new HashSet<>();

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
        String home = Keys.home(key);
        if (home == null) {
            mistakes.unknownKey(keyNode, key, known);
        } else {
            mistakes.place(keyNode, key, home);
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
    boolean hasOwn(String key) {
        return own.containsKey(key);
    }

    /** Whether this map or its defaults contain the key. */
    boolean has(String key) {
        return find(key) != null;
    }

    /** Whether none of these keys has a wrong value. */
    boolean areRight(String... keys) {
        for (String key : keys) {
            if (wrong.contains(key)) {
                return false;
            }
        }
        return true;
    }

    private @Nullable Node find(String key) {
        Entry entry = own.get(key);
        if (entry != null) {
            return entry.value();
        }
        return behind == null ? null : behind.find(key);
    }

    /**
     * The value of the first of these keys that this map contains, or else its defaults. The map itself if there is
     * none. Used for the position of a mistake.
     */
    Node at(String... keys) {
        for (String key : keys) {
            Entry entry = own.get(key);
            if (entry != null) {
                return entry.value();
            }
        }
        for (String key : keys) {
            Node node = find(key);
            if (node != null) {
                return node;
            }
        }
        return where;
    }

    Node keyAt(String key) {
        Entry entry = own.get(key);
        return entry == null ? where : entry.key();
    }

    /** Notes that the value of a key does not fit the values of other keys. */
    void refuse(Node at, String key, String value, String allowed) {
        wrong.add(key);
        mistakes.value(at, key, value, allowed, null);
    }

    /** Whether the key is present. Notes a mistake if it is not. */
    boolean require(String key, String allowed) {
        if (has(key)) {
            return true;
        }
        wrong.add(key);
        mistakes.missing(where, key, allowed);
        return false;
    }

    // Values.

    /**
     * The text of a single value; null if the key is missing, and a text that no value can be read from if it is a map
     * or a list.
     */
    private @Nullable String scalar(String key) {
        Node node = find(key);
        if (node == null) {
            return null;
        }
        return node instanceof ScalarNode scalar ? scalar.getValue() : NO_SCALAR;
    }

    private void wrong(String key, String allowed) {
        wrong.add(key);
        mistakes.value(at(key), key, allowed);
    }

    private boolean isNone(String key) {
        return "none".equals(scalar(key));
    }

    String text(String key, String otherwise, int lengthMax) {
        String text = scalar(key);
        if (text == null) {
            return otherwise;
        }
        boolean printable = text.codePoints().noneMatch(Character::isISOControl);
        if (text.isBlank() || text.length() > lengthMax || !printable) {
            wrong(key, "1 to " + lengthMax + " printable characters");
            return otherwise;
        }
        return text;
    }

    boolean yesNo(String key, boolean otherwise) {
        String text = scalar(key);
        if (text == null) {
            return otherwise;
        }
        // The Go simulator's YAML reader accepts these words as booleans too.
        switch (text.toLowerCase(Locale.ROOT)) {
            case "true", "yes", "on" -> {
                return true;
            }
            case "false", "no", "off" -> {
                return false;
            }
            default -> {
                wrong(key, "true or false");
                return otherwise;
            }
        }
    }

    <E> E choice(String key, E otherwise, Map<String, E> choices) {
        String text = scalar(key);
        if (text == null) {
            return otherwise;
        }
        E choice = choices.get(text);
        if (choice == null) {
            wrong.add(key);
            mistakes.choice(at(key), key, choices.keySet());
            return otherwise;
        }
        return choice;
    }

    int whole(String key, int otherwise, int least, int most) {
        return (int) wholeLong(key, otherwise, least, most);
    }

    long wholeLong(String key, long otherwise, long least, long most) {
        return wholeLong(key, otherwise, least, most, "");
    }

    private long wholeLong(String key, long otherwise, long least, long most, String orElse) {
        String text = scalar(key);
        if (text == null) {
            return otherwise;
        }
        BigDecimal value = Numbers.parse(text);
        if (value != null && value.scale() == 0 && isBetween(value, least, most)) {
            return value.longValueExact();
        }
        String range = least == Long.MIN_VALUE ? "" : " from " + least + " to " + most;
        wrong(key, "a whole number" + range + orElse);
        return otherwise;
    }

    private static boolean isBetween(BigDecimal value, long least, long most) {
        return value.compareTo(BigDecimal.valueOf(least)) >= 0 && value.compareTo(BigDecimal.valueOf(most)) <= 0;
    }

    @Nullable
    Long wholeOrNone(String key, @Nullable Long otherwise, long most) {
        if (isNone(key)) {
            return null;
        }
        return has(key) ? (Long) wholeLong(key, 0, 0, most, OR_NONE) : otherwise;
    }

    double number(String key, double otherwise, double least, double most) {
        return number(key, otherwise, least, most, "");
    }

    private double number(String key, double otherwise, double least, double most, String orElse) {
        String text = scalar(key);
        if (text == null) {
            return otherwise;
        }
        BigDecimal value = Numbers.parse(text);
        if (value != null && value.doubleValue() >= least && value.doubleValue() <= most) {
            return value.doubleValue();
        }
        wrong(key, "a number from " + Numbers.format(least) + " to " + Numbers.format(most) + orElse);
        return otherwise;
    }

    @Nullable
    Double numberOrNone(String key, double least, double most) {
        return isNone(key) || !has(key) ? null : (Double) number(key, 0, least, most, OR_NONE);
    }

    Duration duration(String key, Duration otherwise, Duration least, Duration most) {
        return duration(key, otherwise, least, most, "");
    }

    private Duration duration(String key, Duration otherwise, Duration least, Duration most, String orElse) {
        String text = scalar(key);
        if (text == null) {
            return otherwise;
        }
        Duration value = DurationText.parse(text);
        boolean tooLong = value != null && value.compareTo(most) > 0;
        if (value != null && value.compareTo(least) >= 0 && !tooLong) {
            return value;
        }
        String from = least.isZero()
                ? "0s or more"
                : least.equals(TINY) ? "more than 0" : "at least " + DurationText.format(least);
        String to = tooLong ? " and at most " + DurationText.format(most) : "";
        wrong(key, "a duration such as 90s or 1m30s, " + from + to + orElse);
        return otherwise;
    }

    @Nullable
    Duration durationOrNone(String key, @Nullable Duration otherwise, Duration least) {
        if (isNone(key)) {
            return null;
        }
        return has(key) ? duration(key, YEAR, least, YEAR, OR_NONE) : otherwise;
    }

    Latency latency(String key, Latency otherwise) {
        Node node = find(key);
        Latency latency = node == null ? otherwise : LatencyText.read(node, key, mistakes);
        if (latency == null) {
            wrong.add(key);
            return otherwise;
        }
        return latency;
    }

    /** The map under a key; an empty one if the key is missing. Defaults apply inside it as well. */
    Fields map(String key, List<String> known) {
        Entry entry = own.get(key);
        Fields inherited = behind == null ? null : behind.map(key, known);
        return entry == null
                ? new Fields(where, mistakes, inherited)
                : Fields.of(entry.value(), key, known, mistakes, inherited);
    }

    /** The entries of the list under a key; empty if the key is missing. */
    List<Node> list(String key, String allowed) {
        Node node = find(key);
        if (node instanceof SequenceNode list) {
            return new ArrayList<>(list.getValue());
        }
        if (node != null && !isNull(node)) {
            wrong.add(key);
            mistakes.shape(node, key, allowed);
        }
        return List.of();
    }
}
