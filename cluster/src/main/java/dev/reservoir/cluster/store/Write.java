package dev.reservoir.cluster.store;

import java.util.List;

/**
 * One write of one item under conditions.
 *
 * @param key the item's key
 * @param kind what is done
 * @param changes for {@link Kind#UPDATE} what changes; for {@link Kind#PUT} the attributes, all by {@link Change.Action#SET}
 * @param conditions all of them must hold
 */
public record Write(String key, Kind kind, List<Change> changes, List<Condition> conditions) {

    /** What a write does. */
    public enum Kind {
        /** Puts an item in the place of whatever is there. */
        PUT,
        /** Changes an item, or makes it if it is absent. */
        UPDATE,
        /** Deletes an item; one that is absent stays so. */
        DELETE,
        /** Only asks whether the conditions hold, in a transaction. */
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
