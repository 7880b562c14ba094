package dev.reservoir.core.internal.keeper;

import dev.reservoir.core.internal.checkout.Entry;

/**
 * One use of a connection, from acquire to release, as the keeper sees it. The caller writes plain fields, so the
 * keeper may see old values. The number is read first, so that it never belongs to a later use than the rest.
 *
 * @param <T> the connection
 */
record ConnectionUse<T>(Entry<T> entry, long number) {

    static <T> ConnectionUse<T> of(Entry<T> entry) {
        return new ConnectionUse<>(entry, entry.uses());
    }

    /** Whether the use continues, and has lasted at least this long. */
    boolean lasts(long nowNanos, long atLeastNanos) {
        return entry.isInUse() && nowNanos - entry.acquiredNanos() >= atLeastNanos && entry.uses() == number;
    }
}
