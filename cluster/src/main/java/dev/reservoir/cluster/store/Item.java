package dev.reservoir.cluster.store;

import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The attributes of one item without its key: whole numbers, strings and sets of strings, by name. Immutable. */
public record Item(Map<String, Object> attributes) {

    /** Creates an item. Each value must be a {@link Long}, a {@link String} or a set of strings that is not empty. */
    public Item {
        attributes = Map.copyOf(attributes);
        attributes.forEach(Item::check);
    }

    static void check(String name, Object value) {
        boolean fits = value instanceof Long
                || value instanceof String
                || (value instanceof Set<?> set
                        && !set.isEmpty()
                        && set.stream().allMatch(String.class::isInstance));
        if (!fits) {
            throw new IllegalArgumentException(
                    "attribute " + name + " is " + value + "; allowed: a Long, a String, or a set of strings");
        }
    }

    /** Returns the number with this name, or {@code otherwise} if there is none. */
    public long number(String name, long otherwise) {
        return attributes.get(name) instanceof Long number ? number : otherwise;
    }

    /** Returns the string with this name, or null if there is none. */
    public @Nullable String text(String name) {
        return attributes.get(name) instanceof String text ? text : null;
    }

    /** Returns the set with this name, or an empty set if there is none. */
    @SuppressWarnings("unchecked")
    public Set<String> texts(String name) {
        return attributes.get(name) instanceof Set<?> set ? (Set<String>) set : Set.of();
    }
}
