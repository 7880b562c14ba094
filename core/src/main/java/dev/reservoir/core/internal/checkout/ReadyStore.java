package dev.reservoir.core.internal.checkout;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Holds ready connections. Never opens or closes one, never blocks, never reads a clock.
 *
 * <p>A set of groups, each a word of up to 64 ready bits on cache lines of its own, with a seat for each bit. Taking a
 * connection is one compare-and-set that clears a bit; putting it back is one atomic add that sets it. Callers begin at the
 * group that their lane points to, so that those which run at the same time mostly touch different lines; there is no head
 * or tail for all to meet at, and a caller finds its own last connection again while it is still in its cache. A caller
 * that finds its group empty goes on to the next, so nothing that stays ready stays unseen: a claim fails only if each
 * group was empty at some moment during it, or others kept taking from under its hands.
 *
 * <p>A compare-and-set fails only because another caller succeeded, so somebody always gets on; and after a bounded number of
 * failures a caller goes on to the next group. Groups are added as the reservoir grows, never taken away.
 *
 * @param <T> the connection
 */
public final class ReadyStore<T> {
    private static final int SEATS_MAX = 64;
    private static final int TRIES_PER_GROUP = 2 * SEATS_MAX;

    private final int placesPerGroup;

    /** Replaced by a longer copy with the same groups; guarded by the keeper's lock for writing. */
    private volatile Group<T>[] groups;

    /** For so many connections at first, looked for in so many places. */
    public ReadyStore(int capacity, int lanes) {
        placesPerGroup = Math.max(1, Math.min(SEATS_MAX, capacity / lanes));
        groups = grown(newArray(0), (capacity + placesPerGroup - 1) / placesPerGroup);
    }

    /** Takes any ready connection, or answers null. The taker owns it. */
    public @Nullable Entry<T> claim(long lane) {
        Group<T>[] all = groups;
        int count = all.length;
        // Fibonacci hashing: neighbouring lanes, such as the ids of threads started together, land far apart.
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

    /** Takes this connection if it is ready. */
    public boolean claim(Entry<T> entry) {
        Group<T> group = entry.group;
        return group != null && group.claim(entry.bit);
    }

    /** Whether this connection is ready at this moment. */
    public boolean isReady(Entry<T> entry) {
        Group<T> group = entry.group;
        return group != null && (group.ready & entry.bit) != 0;
    }

    /** Makes a connection ready that the caller owns. A full fence: what is read after it is newer than the store's bit. */
    public void putBack(Entry<T> entry) {
        group(entry).add(entry.bit);
    }

    /** Gives a new connection a seat, not ready yet, in the emptiest group. Only under the keeper's lock. */
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

    /** Frees the seat of a connection that the caller owns. Only under the keeper's lock. */
    public void unseat(Entry<T> entry) {
        group(entry).freePlace(entry);
    }

    /** How many are ready: exact if nothing moves, otherwise a number between what it was and what it is. */
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
            throw new IllegalStateException("bug: " + entry + " has no seat");
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

    /** Two lines of padding on either side keep the word off lines that others write. */
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

    /** Up to 64 seats and the word that says which of them are ready. */
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

        /** Guarded by the keeper's lock. */
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

        /** The bit is known to be clear, since the caller owns the entry; so adding sets it, in one instruction. */
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
                throw new IllegalStateException("bug: seat " + i + " does not hold " + entry);
            }
            places[i] = null;
            entry.group = null;
            free++;
        }
    }
}
