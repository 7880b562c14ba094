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
 * Holds the members, as the items that name them were last read. The members stand in a ring, in the order of their shards and then
 * of their ids; so whoever wants to know its next neighbours reads its own shard, and rarely another one. Reads nothing itself.
 * Guarded by the desk.
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

    /** A shard was read. */
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

    /** This one is no member any more. */
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

    /** How many there are; 0 if not all shards were read yet. */
    int size() {
        return unknown == 0 ? size : 0;
    }

    int size(int shard) {
        return shards.get(shard).size();
    }

    /** How many leases lie in this shard for its members. */
    long free(int shard) {
        return free[shard];
    }

    /** The shards, from a member's own on, in which its next few neighbours are; all of them if it has fewer. */
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
     * The shards that are in this member's charge: its own if it is the last there, and those that follow as long as they have no
     * members. So each shard is in the charge of one member, which reads it at every look.
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

    /** All others, from the next neighbour on. */
    Iterator<String> after(String id) {
        int own = ItemKeys.shardOf(id);
        return new Iterator<>() {
            private int step;
            private Iterator<String> now = shards.get(own).tailSet(id).iterator();
            private @Nullable String next = advance();

            private @Nullable String advance() {
                while (true) {
                    while (now.hasNext()) {
                        String one = now.next();
                        if (!one.equals(id)) {
                            return one;
                        }
                    }
                    if (++step > ItemKeys.SHARDS) {
                        return null;
                    }
                    SortedSet<String> ids = shards.get((own + step) % ItemKeys.SHARDS);
                    now = (step == ItemKeys.SHARDS ? ids.headSet(id) : ids).iterator();
                }
            }

            @Override
            public boolean hasNext() {
                return next != null;
            }

            @Override
            public String next() {
                String one = next;
                if (one == null) {
                    throw new NoSuchElementException();
                }
                next = advance();
                return one;
            }
        };
    }
}
