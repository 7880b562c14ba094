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
 * <p><b>Callers that collide part.</b> If more threads than connections run, many connections are with threads that the
 * operating system has suspended. The few threads that run then find their groups empty and meet at the same ready
 * connection. The word of its group would move from one processor to the other at each claim. So a caller that loses a
 * race begins its next claim at the group where it succeeds after that.
 *
 * <p>A caller that finds its group empty, or loses a race for it, goes on to the next group. So a claim fails only if
 * each group was empty at some moment during the claim, or if the caller lost too many races. A caller loses a race
 * only because another caller succeeded, so some caller always makes progress. Groups are added as the reservoir grows
 * and never removed.
 *
 * @param <T> the connection
 */
public final class ReadyStore<T> {
    /** The number of bits in a word, and so of places in a group. */
    private static final int PLACES_MAX = 64;

    /** Bounds the races that one call may lose. Each lost race means that another call succeeded in the same group. */
    private static final int RACES_MAX = 2 * PLACES_MAX;

    /** Distance between two starting points, in numbers. It puts each of them on a cache line of its own. */
    private static final int START_SPACING = 16;

    /** Starting points for each lane. More of them make it less likely that callers that run together share one. */
    private static final int STARTS_PER_LANE = 4;

    /** Bounds the starting points for each place, so that a small store stays small on a machine of many processors. */
    private static final int STARTS_PER_PLACE = 8;

    private final int placesPerGroup;

    /**
     * The group at which a caller begins. Callers whose lanes have the same hash share a starting point. Nothing
     * depends on seeing the last value, so reads and writes are plain.
     */
    private final int[] starts;

    /** How many low bits of the hash of a lane do not select the starting point. */
    private final int startShift;

    /** Growth replaces it by a longer copy with the same groups. Only the holder of the keeper's lock writes it. */
    private volatile Group<T>[] groups;

    /** Has places for this many connections at first, and spreads callers over this many lanes. */
    public ReadyStore(int capacity, int lanes) {
        placesPerGroup = Math.max(1, Math.min(PLACES_MAX, capacity / lanes));
        groups = grown(newArray(0), (capacity + placesPerGroup - 1) / placesPerGroup);
        long wanted = Math.min(STARTS_PER_LANE * (long) lanes, STARTS_PER_PLACE * (long) Math.max(1, capacity));
        int startBits = Long.SIZE - Long.numberOfLeadingZeros(wanted - 1);
        startShift = Long.SIZE - startBits;
        starts = new int[START_SPACING << startBits];
        spreadStarts(groups.length);
    }

    /** Claims any ready connection, or returns null. The caller then owns it. */
    public @Nullable Entry<T> claim(long lane) {
        Group<T>[] all = groups;
        int count = all.length;
        // Fibonacci hashing spreads neighbouring lanes, such as the ids of threads that were started together, far
        // apart.
        int start = (int) ((lane * 0x9E3779B97F4A7C15L) >>> startShift) * START_SPACING;
        int at = starts[start];
        if (at >= count) {
            // Another caller knows of a group that was added after this one had read the groups.
            at = 0;
        }
        int races = 0;
        for (int empty = 0; empty < count && races < RACES_MAX; ) {
            Group<T> group = all[at];
            long word = group.ready;
            if (word == 0) {
                empty++;
            } else {
                Entry<T> entry = group.claimAnyOf(word);
                if (entry != null) {
                    if (races > 0) {
                        starts[start] = at;
                    }
                    return entry;
                }
                races++;
                empty = 0;
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
            spreadStarts(more.length);
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

    private void spreadStarts(int groupCount) {
        for (int i = 0; i < starts.length; i += START_SPACING) {
            starts[i] = (int) ((long) i * groupCount / starts.length);
        }
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

        /** Claims one of the connections that were ready a moment ago, or returns null if another caller was faster. */
        @Nullable
        Entry<T> claimAnyOf(long word) {
            long bit = word & -word;
            return READY.compareAndSet(this, word, word ^ bit) ? places[Long.numberOfTrailingZeros(bit)] : null;
        }

        public boolean claim(long bit) {
            for (int races = 0; races < RACES_MAX; races++) {
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
