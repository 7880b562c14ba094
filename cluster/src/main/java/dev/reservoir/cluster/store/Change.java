package dev.reservoir.cluster.store;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is done to one attribute of an item.
 *
 * @param attribute its name; an update names each attribute at most once
 * @param action what is done
 * @param value a Long, a String or a set of strings, as the action wants it; null for {@link Action#REMOVE}
 */
public record Change(
        String attribute, Action action, @Nullable Object value) {

    /** What can be done to an attribute. */
    public enum Action {
        /** Gives it a value. */
        SET,
        /** Adds to a number; an absent one counts as 0. */
        ADD,
        /** Puts texts into a set; an absent one counts as empty. */
        INCLUDE,
        /** Takes texts out of a set; one that becomes empty is absent. */
        EXCLUDE,
        /** Removes it. */
        REMOVE
    }

    public static Change set(String attribute, long value) {
        return new Change(attribute, Action.SET, value);
    }

    public static Change set(String attribute, String value) {
        return new Change(attribute, Action.SET, value);
    }

    public static Change set(String attribute, Set<String> value) {
        return new Change(attribute, Action.SET, Set.copyOf(value));
    }

    public static Change add(String attribute, long value) {
        return new Change(attribute, Action.ADD, value);
    }

    public static Change include(String attribute, Set<String> texts) {
        return new Change(attribute, Action.INCLUDE, Set.copyOf(texts));
    }

    public static Change exclude(String attribute, Set<String> texts) {
        return new Change(attribute, Action.EXCLUDE, Set.copyOf(texts));
    }

    public static Change remove(String attribute) {
        return new Change(attribute, Action.REMOVE, null);
    }
}
