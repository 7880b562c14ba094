package dev.reservoir.core.internal.checkout;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.Pooled;
import dev.reservoir.core.internal.keeper.Keeper;
import dev.reservoir.core.spi.Leases.Lease;
import org.jspecify.annotations.Nullable;

/**
 * What the engine knows of one connection.
 *
 * <p>Who may write which field follows from who owns the entry. While its bit in the {@link ReadyStore} is set, nobody does.
 * Whoever clears the bit owns the entry: a borrower until it comes back, or the {@link Keeper} until it has been proven or
 * retired. Setting and clearing the bit carries the owner's writes to the next owner. The {@link #mark} alone is written by
 * the keeper, or by whoever evicts it, at any time.
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

    /** Where it stands in the store; set once, before its first loan. */
    public ReadyStore.@Nullable Group<T> group;

    long bit;

    /** Written by the owner. Others may read them, late but never torn, for reports. */
    public long acquiredNanos;

    public long returnedNanos;
    public long uses;
    public boolean inUse;

    /** The borrowing thread's id: a number, since a reference would make the collector's barriers part of each checkout. */
    public long holderId;

    public @Nullable Throwable stack;

    /** When it last showed that it works. Written by the owner. */
    public long validatedNanos;

    /** If set, the entry is not to be lent again but retired for this reason, now if it is ready, at its return if lent. */
    public volatile @Nullable DiscardReason mark;

    /** The keeper's own, guarded by its lock: whether it is being proven, whether it has left, and how idle it seemed. */
    public boolean validating;

    public boolean gone;

    /** Whether the mark is in the keeper's books; one that evict has just set is not yet. */
    public boolean markCounted;

    /** Whether it is asked a second time after a sign of trouble, and how often in a row it could not be asked. */
    public boolean askedTwice;

    public int timesNotAsked;

    /** When it was taken from its caller. */
    public long takenNanos;

    /** The next of those that are retired and still to be closed, and why this one is. */
    @Nullable
    public Entry<T> nextOwed;

    @Nullable
    public DiscardReason owedFor;

    /** Whether listeners were told that the connection is discarded. Only the keeper reads and writes it. */
    public boolean discardTold;

    /** At how many looks in a row it seemed to be nobody's, and since when. */
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

    /** Promise 2: judged by the clock of the one who takes it, however late the scan is. */
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

    /** Since when it has neither been used nor proven. Under the keeper's lock. */
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
