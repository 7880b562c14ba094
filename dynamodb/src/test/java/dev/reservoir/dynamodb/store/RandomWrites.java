package dev.reservoir.dynamodb.store;

import dev.reservoir.cluster.store.Change;
import dev.reservoir.cluster.store.Condition;
import dev.reservoir.cluster.store.Write;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Writes drawn from a seed over few keys and few attributes, so that they meet. Some attributes carry names that
 * DynamoDB reserves; all may be of any kind, so that kinds clash; some writes make no sense at all.
 */
final class RandomWrites {
    private static final List<String> KEYS = List.of("a#1", "a#2", "b#1", "b#2", "c");
    private static final List<String> ATTRIBUTES = List.of("count", "total", "owner", "ids", "beat");
    private static final List<String> TEXTS = List.of("x", "y", "z", "two words", "é");

    private final Random random;

    RandomWrites(long seed) {
        random = new Random(seed);
    }

    boolean chance(double probability) {
        return random.nextDouble() < probability;
    }

    int below(int bound) {
        return random.nextInt(bound);
    }

    <T> T oneOf(List<T> all) {
        return all.get(random.nextInt(all.size()));
    }

    static List<String> allKeys() {
        return KEYS;
    }

    /** Some keys, each once. */
    List<String> keys() {
        int many = 1 + below(KEYS.size());
        Set<String> keys = new LinkedHashSet<>();
        while (keys.size() < many) {
            keys.add(chance(0.1) ? "absent#" + below(3) : oneOf(KEYS));
        }
        return List.copyOf(keys);
    }

    /** A write that stands alone. */
    Write single() {
        return switch (below(chance(0.02) ? 7 : 6)) {
            case 0 -> put(oneOf(KEYS));
            case 1 -> delete(oneOf(KEYS));
            case 6 -> check(oneOf(KEYS));
            default -> update(oneOf(KEYS));
        };
    }

    /** The writes of a transaction; seldom with the same key twice. */
    List<Write> several() {
        List<Write> writes = new ArrayList<>();
        Set<String> used = new HashSet<>();
        int many = 1 + below(4);
        while (writes.size() < many) {
            String key = oneOf(KEYS);
            if (used.add(key) || chance(0.03)) {
                writes.add(
                        switch (below(8)) {
                            case 0 -> put(key);
                            case 1 -> delete(key);
                            case 2 -> check(key);
                            default -> update(key);
                        });
            }
        }
        return writes;
    }

    private Write put(String key) {
        List<Change> attributes = new ArrayList<>();
        for (String attribute : someAttributes()) {
            attributes.add(set(attribute));
        }
        if (chance(0.01)) {
            attributes.add(Change.add("beat", 1));
        }
        return new Write(key, Write.Kind.PUT, attributes, conditions());
    }

    private Write update(String key) {
        List<Change> changes = new ArrayList<>();
        for (String attribute : someAttributes()) {
            changes.add(change(attribute));
        }
        if (chance(0.01) && !changes.isEmpty()) {
            changes.add(change(changes.get(0).attribute()));
        }
        return new Write(key, Write.Kind.UPDATE, changes, conditions());
    }

    private Write delete(String key) {
        return new Write(key, Write.Kind.DELETE, List.of(), conditions());
    }

    private Write check(String key) {
        return new Write(key, Write.Kind.CHECK, List.of(), conditions());
    }

    private List<String> someAttributes() {
        List<String> some = new ArrayList<>();
        for (String attribute : ATTRIBUTES) {
            if (chance(0.35)) {
                some.add(attribute);
            }
        }
        return some;
    }

    private Change change(String attribute) {
        return switch (below(9)) {
            case 0 -> Change.remove(attribute);
            case 1, 2 -> Change.add(attribute, below(20) - 8);
            case 3 -> Change.include(attribute, texts());
            case 4 -> Change.exclude(attribute, texts());
            case 5 -> usual(attribute);
            default -> set(attribute);
        };
    }

    /** What fits to the attribute, so that many changes succeed. */
    private Change usual(String attribute) {
        return attribute.equals("ids") ? Change.include(attribute, texts()) : Change.add(attribute, 1);
    }

    private Change set(String attribute) {
        if (chance(0.15)) {
            return Change.set(attribute, texts());
        }
        boolean text = attribute.equals("owner") ? chance(0.8) : chance(0.1);
        return text ? Change.set(attribute, chance(0.1) ? "" : oneOf(TEXTS)) : Change.set(attribute, below(10));
    }

    private Set<String> texts() {
        Set<String> texts = new LinkedHashSet<>();
        int many = chance(0.03) ? 0 : 1 + below(3);
        while (texts.size() < many) {
            texts.add(oneOf(TEXTS));
        }
        return texts;
    }

    private List<Condition> conditions() {
        List<Condition> conditions = new ArrayList<>();
        int many = chance(0.4) ? 0 : 1 + below(2);
        for (int i = 0; i < many; i++) {
            Condition condition = condition(oneOf(ATTRIBUTES));
            conditions.add(chance(0.5) ? condition.orAbsent() : condition);
        }
        return conditions;
    }

    private Condition condition(String attribute) {
        return switch (below(8)) {
            case 0 -> Condition.present(attribute);
            case 1 -> Condition.absent(attribute);
            case 2 -> Condition.equal(attribute, oneOf(TEXTS));
            case 3 -> Condition.equal(attribute, (long) below(10));
            case 4 -> Condition.less(attribute, below(12));
            case 5, 6 -> Condition.atMost(attribute, below(12));
            default -> Condition.atLeast(attribute, below(6));
        };
    }
}
