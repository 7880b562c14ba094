package dev.reservoir.jdbc;

import java.sql.SQLException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The open things of a lent connection beyond the first, in no order. Adding and removing take constant time, and allocate
 * nothing once the array is large enough for the application's habits.
 *
 * <p>Made for one thread. Used by two at once, it may forget an entry or keep one too long, but never loops and never throws.
 */
final class TrackedList {
    /** An array that grew beyond this is let go once it is empty, so no loan begins with it. */
    static final int KEPT_MAX = 256;

    private static final @Nullable Tracked[] EMPTY = new Tracked[0];

    private @Nullable Tracked[] items = EMPTY;
    private int count;

    boolean isEmpty() {
        return count == 0;
    }

    int size() {
        return count;
    }

    int capacity() {
        return items.length;
    }

    /** Adds it, and returns where it stands. */
    int add(Tracked tracked) {
        @Nullable Tracked[] array = items;
        int index = count;
        if (index >= array.length) {
            array = Arrays.copyOf(array, Math.max(8, 2 * index));
            items = array;
        }
        array[index] = tracked;
        count = index + 1;
        return index;
    }

    /** Removes it from where it stands, and moves the last one there. Does nothing if it stands elsewhere. */
    void remove(Tracked tracked, int index) {
        @Nullable Tracked[] array = items;
        int last = count - 1;
        if (index > last || last >= array.length || array[index] != tracked) {
            return;
        }
        Tracked moved = array[last];
        array[last] = null;
        count = last;
        if (index != last && moved != null) {
            array[index] = moved;
            moved.slot = ConnectionBase.slotOf(index);
        }
        if (last == 0 && array.length > KEPT_MAX) {
            items = EMPTY;
        }
    }

    /** Closes all of them and is empty afterwards. The first failure ends it: what is left is only detached. */
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

    /** Detaches all of them and is empty afterwards. */
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
