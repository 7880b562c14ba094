package dev.reservoir.cluster.store;

import java.util.List;

/**
 * One conditional write of one item.
 *
 * @param key the key of the item
 * @param kind what to do
 * @param changes the changes of an {@link Kind#UPDATE}, or all attributes of a {@link Kind#PUT}, each as
 *     {@link Change.Action#SET}
 * @param conditions the conditions, all of which must hold
 */
public record Write(String key, Kind kind, List<Change> changes, List<Condition> conditions) {

    /** The kinds of write. */
    public enum Kind {
        /** Replaces the item, or creates it if it is absent. */
        PUT,
        /** Changes the item, or creates it if it is absent. */
        UPDATE,
        /** Deletes the item. Does nothing if it is absent. */
        DELETE,
        /** Only checks the conditions. Allowed only in a transaction. */
        CHECK
    }

    public Write {
        changes = List.copyOf(changes);
        conditions = List.copyOf(conditions);
    }

    public static Write put(String key, List<Change> attributes, Condition... conditions) {
        return new Write(key, Kind.PUT, attributes, List.of(conditions));
    }

    public static Write update(String key, List<Change> changes, Condition... conditions) {
        return new Write(key, Kind.UPDATE, changes, List.of(conditions));
    }

    public static Write delete(String key, Condition... conditions) {
        return new Write(key, Kind.DELETE, List.of(), List.of(conditions));
    }

    public static Write check(String key, Condition... conditions) {
        return new Write(key, Kind.CHECK, List.of(), List.of(conditions));
    }
}
