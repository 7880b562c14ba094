package dev.reservoir.core;

/**
 * One connection of a reservoir, from its opening to its close, over many loans. Doors hold it while it is on loan and give
 * it to {@link Reservoir#release} or {@link Reservoir#discard} exactly once; what they hand to their users is a handle of
 * their own, made anew for each loan, which cannot be used after it was given back. No method blocks.
 *
 * @param <T> the connection
 */
public abstract class Pooled<T> {

    /** Made by the engine. */
    protected Pooled() {}

    /** The connection itself. */
    public abstract T connection();

    /** When it was opened, on the reservoir's clock. */
    public abstract long bornNanos();

    /** When its lifetime ends, on the reservoir's clock. Fixed at birth. */
    public abstract long expiresNanos();

    /** From when on it is not lent any more: the start of its guard window. Fixed at birth. */
    public abstract long usableUntilNanos();

    /** When it was last lent. Has no meaning before the first loan. */
    public abstract long acquiredNanos();

    /**
     * When a caller who had used it released it last, or saw that it works, whichever was later; when it was opened, if none did.
     * Validations in the background do not count: a connection may die a moment after one.
     */
    public abstract long idleSinceNanos();

    /** Names the lease that it holds, or is empty. */
    public abstract String leaseId();

    /** Whether it is a temporary connection beyond the maximum. */
    public abstract boolean isOverflow();
}
