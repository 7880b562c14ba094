package dev.reservoir.cluster.store;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A change to one attribute of an item.
 *
 * @param attribute the name of the attribute; an update names each attribute at most once
 * @param action what to do with it
 * @param value a Long, a String or a set of strings, as the action requires; null for {@link Action#REMOVE}
 */
public record Change(
        String attribute, Action action, @Nullable Object value) {

    /** The possible changes to an attribute. */
    public enum Action {
        /** Sets the attribute to a value. */
        SET,
        /** Adds to a number. An absent number counts as 0. */
        ADD,
        /** Adds strings to a set. An absent set counts as empty. */
        INCLUDE,
        /** Removes strings from a set. A set that becomes empty is removed. */
        EXCLUDE,
        /** Removes the attribute. */
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
