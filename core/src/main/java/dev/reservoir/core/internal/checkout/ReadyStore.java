package dev.reservoir.core.internal.checkout;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Holds ready connections. Never opens or closes one, never blocks and never reads a clock.
 *
 * <p><b>States.</b> The store is an array of groups. Each group has up to 64 places and one word with a ready bit for
 * each place. The keeper places a connection and frees its place, under its lock. A set bit means that the connection
 * is ready and nobody owns it. The thread that clears the bit owns the connection until it sets the bit again. To claim
 * is one compare-and-set that clears a bit. To put back is one atomic add that sets it.
 *
 * <p><b>Why not a queue.</b> A queue or a stack has a head at which all callers collide. Here each caller begins at the
 * group that its lane selects, and each word is on cache lines of its own. Callers that run at the same time mostly
 * touch different cache lines. A caller often finds the connection that it used last, which is still in its processor's
 * cache.
 *
 * <p>A caller that finds its group empty goes on to the next group. So a claim fails only if each group was empty at
 * some moment during the claim, or if other callers kept taking what it saw. A compare-and-set fails only because
 * another caller succeeded, so some caller always makes progress. After a bounded number of failures a caller goes on
 * to the next group. Groups are added as the reservoir grows and never removed.
 *
 * @param <T> the connection
 */
public final class ReadyStore<T> {
    /** The number of bits in a word, and so of places in a group. */
    private static final int PLACES_MAX = 64;

    /** Bounds the attempts on one group. Each failed attempt means that another caller succeeded in the group. */
    private static final int TRIES_PER_GROUP = 2 * PLACES_MAX;

    private final int placesPerGroup;

    /** Growth replaces it by a longer copy with the same groups. Only the holder of the keeper's lock writes it. */
    private volatile Group<T>[] groups;

    /** Has places for this many connections at first, and spreads callers over this many lanes. */
    public ReadyStore(int capacity, int lanes) {
        placesPerGroup = Math.max(1, Math.min(PLACES_MAX, capacity / lanes));
        groups = grown(newArray(0), (capacity + placesPerGroup - 1) / placesPerGroup);
    }

    /** Claims any ready connection, or returns null. The caller then owns it. */
    public @Nullable Entry<T> claim(long lane) {
        Group<T>[] all = groups;
        int count = all.length;
        // Fibonacci hashing spreads neighbouring lanes, such as the ids of threads that were started together, far
        // apart.
        int at = (int) ((((lane * 0x9E3779B97F4A7C15L) >>> 32) * count) >>> 32);
        for (int i = 0; i < count; i++) {
            Group<T> group = all[at];
            if (group.ready != 0) {
                Entry<T> entry = group.claimAny();
                if (entry != null) {
                    return entry;
                }
            }
            if (++at == count) {
                at = 0;
            }
        }
        return null;
    }

    /** Claims this connection if it is ready. */
    public boolean claim(Entry<T> entry) {
        Group<T> group = entry.group;
        return group != null && group.claim(entry.bit);
    }

    /** Whether this connection is ready at this moment. */
    public boolean isReady(Entry<T> entry) {
        Group<T> group = entry.group;
        return group != null && (group.ready & entry.bit) != 0;
    }

    /**
     * Makes a connection ready that the caller owns. This is a full fence: later reads by the caller happen after the
     * bit is set.
     */
    public void putBack(Entry<T> entry) {
        group(entry).add(entry.bit);
    }

    /** Gives a new connection, which is not ready yet, a place in the emptiest group. Needs the keeper's lock. */
    public void place(Entry<T> entry) {
        Group<T> emptiest = groups[0];
        for (Group<T> group : groups) {
            if (group.free > emptiest.free) {
                emptiest = group;
            }
        }
        if (emptiest.free == 0) {
            Group<T>[] more = grown(groups, groups.length + Math.max(1, groups.length / 4));
            emptiest = more[more.length - 1];
            groups = more;
        }
        emptiest.takePlace(entry);
    }

    /** Frees the place of a connection that the caller owns. Needs the keeper's lock. */
    public void freePlace(Entry<T> entry) {
        group(entry).freePlace(entry);
    }

    /**
     * The number of ready connections. It is exact if no thread claims or puts back meanwhile. Otherwise it lies
     * between the old and the new number.
     */
    public int ready() {
        int sum = 0;
        for (Group<T> group : groups) {
            sum += Long.bitCount(group.ready);
        }
        return sum;
    }

    private static <T> Group<T> group(Entry<T> entry) {
        Group<T> group = entry.group;
        if (group == null) {
            throw new IllegalStateException("bug: " + entry + " has no place");
        }
        return group;
    }

    private Group<T>[] grown(Group<T>[] from, int count) {
        Group<T>[] longer = Arrays.copyOf(from, count);
        for (int i = from.length; i < count; i++) {
            longer[i] = new Group<>(placesPerGroup);
        }
        return longer;
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static <T> Group<T>[] newArray(int length) {
        return new Group[length];
    }

    /** Two cache lines of padding on each side keep the word off lines that other fields share. */
    @SuppressWarnings("unused")
    abstract static class Before {
        private long a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, aA, aB, aC, aD, aE, aF;
    }

    abstract static class ReadyWord extends Before {
        volatile long ready;
    }

    @SuppressWarnings("unused")
    abstract static class After extends ReadyWord {
        private long b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, bA, bB, bC, bD, bE, bF;
    }

    /** Up to 64 places, and the word that says which of them are ready. */
    static final class Group<T> extends After {
        private static final VarHandle READY;

        static {
            try {
                READY = MethodHandles.lookup().findVarHandle(ReadyWord.class, "ready", long.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        private final @Nullable Entry<T>[] places;

        /** The number of free places. Guarded by the keeper's lock. */
        private int free;

        @SuppressWarnings({"unchecked", "rawtypes"})
        Group(int places) {
            this.places = new Entry[places];
            this.free = places;
        }

        @Nullable
        Entry<T> claimAny() {
            for (int tries = 0; tries < TRIES_PER_GROUP; tries++) {
                long word = ready;
                if (word == 0) {
                    return null;
                }
                long bit = word & -word;
                if (READY.compareAndSet(this, word, word ^ bit)) {
                    return places[Long.numberOfTrailingZeros(bit)];
                }
            }
            return null;
        }

        public boolean claim(long bit) {
            for (int tries = 0; tries < TRIES_PER_GROUP; tries++) {
                long word = ready;
                if ((word & bit) == 0) {
                    return false;
                }
                if (READY.compareAndSet(this, word, word ^ bit)) {
                    return true;
                }
            }
            return false;
        }

        /** The caller owns the entry, so the bit is clear. An add therefore sets it in one instruction. */
        void add(long bit) {
            READY.getAndAdd(this, bit);
        }

        void takePlace(Entry<T> entry) {
            int i = 0;
            while (places[i] != null) {
                i++;
            }
            places[i] = entry;
            entry.group = this;
            entry.bit = 1L << i;
            free--;
        }

        void freePlace(Entry<T> entry) {
            int i = Long.numberOfTrailingZeros(entry.bit);
            if (places[i] != entry) {
                throw new IllegalStateException("bug: place " + i + " does not hold " + entry);
            }
            places[i] = null;
            entry.group = null;
            free++;
        }
    }
}
