package dev.reservoir.jdbc.wrap;

import java.sql.SQLException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The open objects of a connection in use, in no order. Adding and removing take constant time. They allocate nothing
 * once the array is large enough for what the application keeps open. Before the array grows, the list drops objects
 * that were closed without being removed.
 *
 * <p>Not safe for several threads at once; its owner must ensure that.
 */
final class TrackedList {
    /**
     * Bounds the array that an empty list keeps. A larger array is dropped, so that one unusual checkout does not hold
     * memory for the life of the connection.
     */
    static final int KEPT_MAX = 256;

    private static final @Nullable Tracked[] EMPTY = new Tracked[0];

    private final boolean ofSeveralThreads;
    private @Nullable Tracked[] items = EMPTY;
    private int count;

    private TrackedList(boolean ofSeveralThreads) {
        this.ofSeveralThreads = ofSeveralThreads;
    }

    static TrackedList ofOneThread() {
        return new TrackedList(false);
    }

    /** Makes a list whose slots show that an object is in a list of this kind. */
    static TrackedList ofSeveralThreads() {
        return new TrackedList(true);
    }

    static boolean isOfSeveralThreads(int slot) {
        return slot < Tracked.CLOSED;
    }

    /** Above {@link Tracked#FIRST} in a list of one thread, below {@link Tracked#CLOSED} in a list of several. */
    private int slotOf(int index) {
        return ofSeveralThreads ? Tracked.CLOSED - 1 - index : index + 1;
    }

    private int indexOf(int slot) {
        return ofSeveralThreads ? Tracked.CLOSED - 1 - slot : slot - 1;
    }

    boolean isEmpty() {
        return count == 0;
    }

    int size() {
        return count;
    }

    int capacity() {
        return items.length;
    }

    void add(Tracked tracked) {
        if (count == items.length) {
            makeRoom();
        }
        int index = count;
        items[index] = tracked;
        tracked.slot = slotOf(index);
        count = index + 1;
    }

    /** Drops closed objects. Doubles the array if at least half of it is still in use. */
    private void makeRoom() {
        int kept = 0;
        for (int i = 0; i < count; i++) {
            Tracked tracked = items[i];
            if (tracked != null && !tracked.isGone()) {
                items[kept] = tracked;
                tracked.slot = slotOf(kept);
                kept++;
            }
        }
        Arrays.fill(items, kept, count, null);
        count = kept;
        if (2 * kept >= items.length) {
            items = Arrays.copyOf(items, Math.max(8, 2 * items.length));
        }
    }

    /** Removes an object and moves the last one to its place. Does nothing if the object is not in this list. */
    void remove(Tracked tracked) {
        int index = indexOf(tracked.slot);
        if (index < 0 || index >= count || items[index] != tracked) {
            return;
        }
        int last = count - 1;
        Tracked moved = items[last];
        items[last] = null;
        count = last;
        if (index != last && moved != null) {
            items[index] = moved;
            moved.slot = slotOf(index);
        }
        if (last == 0 && items.length > KEPT_MAX) {
            items = EMPTY;
        }
    }

    /** Closes all objects and leaves the list empty. The first failure stops the closing; the rest is only detached. */
    void closeAll() throws SQLException {
        @Nullable Tracked[] array = items;
        int n = Math.min(count, array.length);
        int closed = 0;
        try {
            for (; closed < n; closed++) {
                Tracked tracked = array[closed];
                if (tracked != null) {
                    tracked.slot = Tracked.CLOSED;
                    tracked.closeOnReturn();
                }
            }
        } finally {
            detach(array, closed, n);
            clear(array, n);
        }
    }

    /** Detaches all objects and leaves the list empty. */
    void detachAll() {
        @Nullable Tracked[] array = items;
        int n = Math.min(count, array.length);
        detach(array, 0, n);
        clear(array, n);
    }

    private static void detach(@Nullable Tracked[] array, int from, int to) {
        for (int i = from; i < to; i++) {
            Tracked tracked = array[i];
            if (tracked != null) {
                tracked.slot = Tracked.CLOSED;
                tracked.detach();
            }
        }
    }

    private void clear(@Nullable Tracked[] array, int n) {
        count = 0;
        if (array.length > KEPT_MAX) {
            items = EMPTY;
        } else {
            Arrays.fill(array, 0, n, null);
        }
    }
}
