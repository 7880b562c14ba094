package dev.reservoir.cluster.store;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer of a store to one call.
 *
 * @param applied whether a write was applied; true for a read
 * @param items for a read, the item under each requested key, in the same order, or null where there is none. For a
 *     write that was applied, the new item, or null after a delete. For a write whose conditions did not hold, the item
 *     as it was found, or null. For a transaction that was applied, nothing. For a transaction that was not applied,
 *     one entry for each write: the item as it was found, or null, if its conditions did not hold; null otherwise
 * @param refused for a transaction that was not applied, the indexes of the writes whose conditions did not hold
 * @param storeSeconds the store's clock when it answered, in whole seconds since 1970, rounded down; -1 if the answer
 *     does not say
 */
public record Answer(boolean applied, List<@Nullable Item> items, List<Integer> refused, long storeSeconds) {
    public Answer {
        items = Collections.unmodifiableList(new ArrayList<>(items));
        refused = List.copyOf(refused);
    }

    /** Returns the item of a write, or the first item of a read. */
    public @Nullable Item item() {
        return items.isEmpty() ? null : items.get(0);
    }
}
