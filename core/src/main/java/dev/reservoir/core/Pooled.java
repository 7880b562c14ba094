package dev.reservoir.core;

import dev.reservoir.core.internal.checkout.Entry;

/**
 * One connection of a reservoir, from its opening to its close, over many checkouts. A door holds it while it is in
 * use. The door passes it to {@link Reservoir#release} or {@link Reservoir#discard} exactly once. The door gives its
 * users a handle of its own, which is new for each checkout and unusable after release. No method blocks.
 *
 * @param <T> the connection
 */
public abstract sealed class Pooled<T> permits Entry {

    /** Called by the engine only. */
    protected Pooled() {}

    /** The connection itself. */
    public abstract T connection();

    /** When it was opened, on the reservoir's clock. */
    public abstract long bornNanos();

    /** When its lifetime ends, on the reservoir's clock. Fixed at birth. */
    public abstract long expiresNanos();

    /** When its guard window begins. From then on it is not handed out. Fixed at birth. */
    public abstract long usableUntilNanos();

    /** When it was last acquired. Has no meaning before the first checkout. */
    public abstract long acquiredNanos();

    /**
     * The later of two times: when a caller last released it after using it, and when a caller last saw that it works.
     * If neither has happened, the time when it was opened. Background validations do not count, because a connection
     * may die right after one.
     */
    public abstract long idleSinceNanos();

    /**
     * When it last showed that it works: when it was opened, when it was validated, or when a caller released it after
     * using it. Another thread may see the time of a moment ago.
     */
    public abstract long shownAliveNanos();

    /** The id of its lease, or an empty string if it holds none. */
    public abstract String leaseId();

    /** Whether a caller holds it. Another thread may see the state of a moment ago. */
    public abstract boolean isInUse();

    /**
     * How many checkouts it has served, including the present one. Another thread may see the number of a moment ago.
     */
    public abstract long uses();

    /** Whether it is not handed out again but retires: now if it is ready, on release if it is in use. */
    public abstract boolean isRetiring();

    /** Whether it is a temporary connection beyond the maximum. */
    public abstract boolean isOverflow();
}
