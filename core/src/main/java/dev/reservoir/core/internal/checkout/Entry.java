package dev.reservoir.core.internal.checkout;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.Pooled;
import dev.reservoir.core.internal.keeper.Keeper;
import dev.reservoir.core.spi.Leases.Lease;
import org.jspecify.annotations.Nullable;

/**
 * The engine's record of one connection. Never closes the connection and never decides about it.
 *
 * <p>The owner of the entry may write its fields. While its bit in the {@link ReadyStore} is set, nobody owns it. The
 * thread that clears the bit owns it: a caller until release, or the {@link Keeper} until the connection has been
 * validated or retired. Setting and clearing the bit makes the writes of one owner visible to the next. The
 * {@link #mark} is the exception: the keeper, or a thread that evicts the connection, may write it at any time.
 *
 * @param <T> the connection
 */
public final class Entry<T> extends Pooled<T> {
    private final T connection;
    private final long bornNanos;
    private final long expiresNanos;
    private final long usableUntilNanos;
    private final boolean overflow;
    private final @Nullable Lease lease;

    /** Its place in the store. Set once, before the first checkout, and cleared when the entry leaves the store. */
    public ReadyStore.@Nullable Group<T> group;

    long bit;

    /** Written by the owner. Other threads may read them for reports and see old values, but never torn ones. */
    public long acquiredNanos;

    public long returnedNanos;
    public long uses;
    public boolean inUse;

    /**
     * The id of the thread that acquired it. It is a number, because a reference would add a garbage collector barrier
     * to each checkout.
     */
    public long holderId;

    public @Nullable Throwable stack;

    /** When it was last validated, or when it was opened. Written by the owner. */
    public long validatedNanos;

    /**
     * If set, the entry must not be handed out again but retires for this reason: now if it is ready, on release if it
     * is in use.
     */
    public volatile @Nullable DiscardReason mark;

    /**
     * This field and the following ones belong to the keeper and are guarded by its lock: whether it is being
     * validated, whether it has left, and since when it seems unused.
     */
    public boolean validating;

    public boolean gone;

    /** Whether the keeper has counted the mark. It has not yet counted a mark that evict has just set. */
    public boolean markCounted;

    /**
     * Whether it is being validated a second time after a sign of trouble, and how many validations in a row could not
     * be carried out.
     */
    public boolean askedTwice;

    public int timesNotAsked;

    /** When it was taken away from its caller. */
    public long takenNanos;

    /** The next entry that is retired and still to be closed, and the reason why this one is. */
    @Nullable
    public Entry<T> nextOwed;

    @Nullable
    public DiscardReason owedFor;

    /** Whether listeners were told that the connection is discarded. Only the keeper reads and writes it. */
    public boolean discardTold;

    /** The number of checks in a row in which it seemed to have no owner, and the time since then. */
    public int strayLooks;

    public long straySinceNanos;

    public long usesSeen = -1;
    public long unusedSinceNanos;

    public Entry(
            T connection,
            long bornNanos,
            long lifetimeNanos,
            long guardNanos,
            boolean overflow,
            @Nullable Lease lease) {
        this.connection = connection;
        this.bornNanos = bornNanos;
        this.expiresNanos = bornNanos + lifetimeNanos;
        this.usableUntilNanos = expiresNanos - guardNanos;
        this.overflow = overflow;
        this.lease = lease;
        this.validatedNanos = bornNanos;
        this.returnedNanos = bornNanos;
    }

    /** Promise 2: the taker judges by its own clock, so a late scan does no harm. */
    public boolean isUsable(long nowNanos, long troubleNanos) {
        return nowNanos < usableUntilNanos && validatedNanos >= troubleNanos && mark == null;
    }

    @Override
    public T connection() {
        return connection;
    }

    @Override
    public long bornNanos() {
        return bornNanos;
    }

    @Override
    public long expiresNanos() {
        return expiresNanos;
    }

    @Override
    public long usableUntilNanos() {
        return usableUntilNanos;
    }

    @Override
    public long acquiredNanos() {
        return acquiredNanos;
    }

    @Override
    public long idleSinceNanos() {
        return returnedNanos;
    }

    /** When it last showed that it works, to a caller or to the keeper. */
    public long shownAliveNanos() {
        return Math.max(returnedNanos, validatedNanos);
    }

    @Override
    public String leaseId() {
        return lease == null ? "" : lease.id();
    }

    @Override
    public boolean isOverflow() {
        return overflow;
    }

    /** Since when it has been neither used nor validated. Needs the keeper's lock. */
    public long quietSinceNanos() {
        return Math.max(unusedSinceNanos, validatedNanos);
    }

    @Nullable
    public Lease lease() {
        return lease;
    }

    @Override
    public String toString() {
        return "Pooled[born=" + bornNanos + ", expires=" + expiresNanos + (overflow ? ", overflow" : "") + "]";
    }
}
