package dev.reservoir.cluster.membership;

import dev.reservoir.cluster.protocol.ItemKeys;
import dev.reservoir.cluster.store.Item;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Holds the list of members as the shards were last read. The members form a ring, ordered by shard and then by id. To
 * find its next neighbours, a process therefore reads its own shard and rarely another one. Never reads from the store.
 * Used only on the budget's serial executor.
 */
final class Roster {
    private final List<SortedSet<String>> shards = new ArrayList<>();
    private final long[] free = new long[ItemKeys.SHARDS];
    private final boolean[] known = new boolean[ItemKeys.SHARDS];
    private int size;
    private int unknown = ItemKeys.SHARDS;

    Roster() {
        for (int shard = 0; shard < ItemKeys.SHARDS; shard++) {
            shards.add(Collections.emptySortedSet());
        }
    }

    /** Takes over what was read from a shard. */
    @SuppressWarnings("unchecked")
    void read(int shard, @Nullable Item item) {
        Set<String> ids = item == null ? Set.of() : item.texts(ItemKeys.IDS);
        free[shard] = item == null ? 0 : item.number(ItemKeys.FREE, 0);
        if (!known[shard]) {
            known[shard] = true;
            unknown--;
        }
        SortedSet<String> before = shards.get(shard);
        if (before != ids && !before.equals(ids)) {
            put(shard, ids instanceof SortedSet<?> sorted ? (SortedSet<String>) sorted : new TreeSet<>(ids));
        }
    }

    private void put(int shard, SortedSet<String> ids) {
        size += ids.size() - shards.get(shard).size();
        shards.set(shard, ids);
    }

    /** Removes a member that has left or died. */
    void remove(String id) {
        int shard = ItemKeys.shardOf(id);
        if (shards.get(shard).contains(id)) {
            TreeSet<String> others = new TreeSet<>(shards.get(shard));
            others.remove(id);
            put(shard, others);
        }
    }

    boolean contains(String id) {
        return shards.get(ItemKeys.shardOf(id)).contains(id);
    }

    /** Returns the number of members; 0 until every shard has been read. */
    int size() {
        return unknown == 0 ? size : 0;
    }

    int size(int shard) {
        return shards.get(shard).size();
    }

    /** Returns the number of unclaimed leases in this shard. */
    long free(int shard) {
        return free[shard];
    }

    /** Returns the shards with the next {@code few} neighbours of a member, its own first; all if there are fewer. */
    List<Integer> shardsOfNext(String id, int few) {
        List<Integer> needed = new ArrayList<>();
        int own = ItemKeys.shardOf(id);
        int found = 0;
        for (int i = 0; i < ItemKeys.SHARDS && (found < few || i == 0); i++) {
            int shard = (own + i) % ItemKeys.SHARDS;
            needed.add(shard);
            found += i == 0 ? after(shards.get(own), id) : shards.get(shard).size();
        }
        return needed;
    }

    private static int after(SortedSet<String> ids, String id) {
        int count = ids.tailSet(id).size();
        return ids.contains(id) ? count - 1 : count;
    }

    /**
     * Returns the shards that this member is in charge of. The last member of a shard is in charge of that shard, and
     * of the shards after it up to the next shard that has members. Each shard therefore has one member in charge,
     * which reads it each time it reads its neighbours.
     */
    List<Integer> inChargeOf(String id) {
        List<Integer> all = new ArrayList<>();
        int own = ItemKeys.shardOf(id);
        SortedSet<String> ids = shards.get(own);
        if (!ids.contains(id) || !ids.last().equals(id)) {
            return all;
        }
        all.add(own);
        for (int i = 1; i < ItemKeys.SHARDS; i++) {
            int shard = (own + i) % ItemKeys.SHARDS;
            if (!shards.get(shard).isEmpty()) {
                break;
            }
            all.add(shard);
        }
        return all;
    }

    /** Iterates over all other members, starting with the next neighbour. */
    Iterator<String> after(String id) {
        int own = ItemKeys.shardOf(id);
        SortedSet<String> ours = shards.get(own);
        return new Iterator<>() {
            private int step;

            // No id lies between a string and the same string with this character.
            private Iterator<String> inShard = ours.tailSet(id + '\0').iterator();

            @Override
            public boolean hasNext() {
                while (!inShard.hasNext() && step < ItemKeys.SHARDS) {
                    step++;
                    inShard = (step == ItemKeys.SHARDS ? ours.headSet(id) : shards.get((own + step) % ItemKeys.SHARDS))
                            .iterator();
                }
                return inShard.hasNext();
            }

            @Override
            public String next() {
                if (!hasNext()) {
                    throw new NoSuchElementException("no further member");
                }
                return inShard.next();
            }
        };
    }
}
