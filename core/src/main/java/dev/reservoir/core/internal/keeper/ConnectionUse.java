package dev.reservoir.core.internal.keeper;

import dev.reservoir.core.internal.checkout.Entry;

/**
 * One use of a connection, from its checkout to its release, seen from the keeper. The caller's fields are plain, so what is seen may
 * be old; the number is read first, so that it never belongs to a later use than the rest.
 *
 * @param <T> the connection
 */
record ConnectionUse<T>(Entry<T> entry, long number) {

    static <T> ConnectionUse<T> of(Entry<T> entry) {
        return new ConnectionUse<>(entry, entry.uses);
    }

    /** Whether it still goes on, and has for at least so long. */
    boolean lasts(long nowNanos, long atLeastNanos) {
        return entry.inUse && nowNanos - entry.acquiredNanos >= atLeastNanos && entry.uses == number;
    }
}
