package dev.reservoir.cluster.store;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a store answered.
 *
 * @param applied whether a write was done; true for a read
 * @param items of a read: the item under each key that was asked for, in their order, or null where there is none. Of a write
 *     that was done: the item as it is now, or null after a delete. Of a write whose conditions did not hold: the item as it
 *     was found, or null. Of a transaction that was done: nothing. Of one that was not: for each write whose conditions did not hold, the
 *     item as it was found, or null; null for all others
 * @param refused of a transaction that was not done: the places of the writes whose conditions did not hold
 * @param storeSeconds the store's clock when it answered, in whole seconds since 1970, cut off; -1 if it did not say
 */
public record Answer(boolean applied, List<@Nullable Item> items, List<Integer> refused, long storeSeconds) {
    public Answer {
        items = Collections.unmodifiableList(new ArrayList<>(items));
        refused = List.copyOf(refused);
    }

    /** The one item of a write, or the first of a read. */
    public @Nullable Item item() {
        return items.isEmpty() ? null : items.get(0);
    }
}
