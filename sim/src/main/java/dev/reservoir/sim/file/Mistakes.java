package dev.reservoir.sim.file;

import dev.reservoir.core.util.NearestName;
import dev.reservoir.sim.file.Mistake.Kind;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/**
 * Collects the mistakes in one scenario file. A mistake found again through an alias or through defaults counts once.
 */
final class Mistakes {
    private static final int VALUE_MAX = 60;

    private final String file;
    private final Set<Mistake> found = new LinkedHashSet<>();

    Mistakes(String file) {
        this.file = file;
    }

    boolean isEmpty() {
        return found.isEmpty();
    }

    /** All mistakes in the order of the file, followed by those of other files. */
    List<Mistake> inOrder() {
        List<Mistake> all = new ArrayList<>(found);
        all.sort(Comparator.comparing((Mistake m) -> !m.file().equals(file))
                .thenComparing(Mistake::file)
                .thenComparingInt(Mistake::line)
                .thenComparingInt(Mistake::column));
        return all;
    }

    void syntax(int line, int column, String problem, String allowed) {
        found.add(new Mistake(file, line, column, Kind.SYNTAX, "", problem, allowed, null));
    }

    void unknownKey(Node at, String key, Collection<String> known) {
        add(at, Kind.UNKNOWN_KEY, key, "", String.join(", ", known), NearestName.likely(key, known));
    }

    void place(Node at, String key, String allowed) {
        add(at, Kind.PLACE, key, "", allowed, null);
    }

    void twice(Node at, String key, Node first) {
        add(at, Kind.TWICE, key, "first in line " + line(first), "once", null);
    }

    void missing(Node at, String key, String allowed) {
        add(at, Kind.MISSING, key, "", allowed, null);
    }

    void shape(Node at, String key, String allowed) {
        add(at, Kind.SHAPE, key, shape(at), allowed, null);
    }

    /** Notes that a value is not allowed. The node may also be a map or a list where a single value is expected. */
    void value(Node at, String key, String allowed) {
        value(at, key, allowed, List.of());
    }

    /** Notes that a value is not allowed, and which of the allowed words is the nearest. */
    void value(Node at, String key, String allowed, Collection<String> words) {
        if (at instanceof ScalarNode scalar) {
            value(at, key, scalar.getValue(), allowed, NearestName.likely(scalar.getValue(), words));
        } else {
            shape(at, key, allowed);
        }
    }

    void value(Node at, String key, String value, String allowed, @Nullable String nearest) {
        add(at, Kind.VALUE, key, value, allowed, nearest);
    }

    /** Notes a mistake in another file that the scenario names. */
    void elsewhere(String otherFile, int line, String key, String value, String allowed) {
        found.add(new Mistake(otherFile, line, 1, Kind.VALUE, key, printable(value), allowed, null));
    }

    private void add(Node at, Kind kind, String key, String value, String allowed, @Nullable String nearest) {
        int column = at.getStartMark().map(m -> m.getColumn() + 1).orElse(1);
        found.add(new Mistake(file, line(at), column, kind, printable(key), printable(value), allowed, nearest));
    }

    private static int line(Node node) {
        return node.getStartMark().map(m -> m.getLine() + 1).orElse(1);
    }

    private static String shape(Node node) {
        if (node instanceof ScalarNode) {
            return "a single value";
        }
        return node instanceof MappingNode ? "a map" : "a list";
    }

    /** Puts a text on one line and shortens it. */
    private static String printable(String value) {
        String line = value.replaceAll("\\p{Cntrl}+", " ");
        int end = line.offsetByCodePoints(0, Math.min(VALUE_MAX, line.codePointCount(0, line.length())));
        return end < line.length() ? line.substring(0, end) + "..." : line;
    }
}
