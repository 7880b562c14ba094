package dev.reservoir.core.internal.checkout;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.Pooled;
import dev.reservoir.core.internal.keeper.Keeper;
import dev.reservoir.core.spi.Leases.Lease;
import org.jspecify.annotations.Nullable;

/**
 * The engine's record of one connection. Never closes the connection and never decides about it.
 *
 * <p>The owner of the entry may change it. While its bit in the {@link ReadyStore} is set, nobody owns it. The thread
 * that clears the bit owns it: a caller until release, or the {@link Keeper} until the connection has been validated or
 * retired. Setting and clearing the bit makes the writes of one owner visible to the next. The {@link #mark} is the
 * exception: the keeper, or a thread that evicts the connection, may write it at any time.
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
    ReadyStore.@Nullable Group<T> group;

    long bit;

    // Written by the owner. Other threads may read these for reports and see old values, but never torn ones.

    long acquiredNanos;
    private long returnedNanos;
    private long uses;
    private boolean inUse;

    /** A number, because a reference would add a garbage collector barrier to each checkout. */
    private long holderId;

    private @Nullable Throwable stack;
    private long validatedNanos;

    private volatile @Nullable DiscardReason mark;

    // The keeper's lock guards the fields below.

    private boolean validating;
    private boolean gone;
    private boolean markCounted;
    private boolean validatingTwice;
    private int failedQuestions;
    private @Nullable Entry<T> nextOwed;
    private @Nullable DiscardReason owedFor;
    private boolean discardTold;
    private int ownerlessChecks;
    private long ownerlessSinceNanos;
    private long usesSeen = -1;
    private long unusedSinceNanos;

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
        this.unusedSinceNanos = bornNanos;
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

    @Override
    public String leaseId() {
        return lease == null ? "" : lease.id();
    }

    @Override
    public boolean isOverflow() {
        return overflow;
    }

    public @Nullable Lease lease() {
        return lease;
    }

    // A use, from acquire to release. Its owner calls the methods that change something.

    /** Records when it was taken, before its use begins. */
    public void setAcquiredNanos(long nowNanos) {
        acquiredNanos = nowNanos;
    }

    public void beginUse(long nowNanos) {
        acquiredNanos = nowNanos;
        uses++;
        inUse = true;
    }

    public void endUse() {
        inUse = false;
    }

    @Override
    public boolean isInUse() {
        return inUse;
    }

    @Override
    public long uses() {
        return uses;
    }

    /** Records the id of the thread that acquired it. */
    public void setHolderId(long threadId) {
        holderId = threadId;
    }

    public long holderId() {
        return holderId;
    }

    /** Records where it was acquired. */
    public void setStack(@Nullable Throwable value) {
        stack = value;
    }

    public @Nullable Throwable stack() {
        return stack;
    }

    /** Records that a caller saw it work. */
    public void noteWorks(long nowNanos) {
        returnedNanos = nowNanos;
    }

    // The mark.

    /**
     * If not null, the entry must not be handed out again but retires for this reason: now if it is ready, on release
     * if it is in use.
     */
    public @Nullable DiscardReason mark() {
        return mark;
    }

    @Override
    public boolean isRetiring() {
        return mark != null;
    }

    public void setMark(DiscardReason reason) {
        mark = reason;
    }

    public void markIfUnmarked(DiscardReason reason) {
        if (mark == null) {
            mark = reason;
        }
    }

    // The state that the keeper keeps. Its lock guards this.

    /** Whether the keeper has counted the mark. It has not yet counted a mark that evict has just set. */
    public boolean isMarkCounted() {
        return markCounted;
    }

    public void setMarkCounted() {
        markCounted = true;
    }

    /** Whether it has left the reservoir. The mark is set later, so a thread that reads the mark first sees this. */
    public boolean isGone() {
        return gone;
    }

    /** Records that it leaves the reservoir. */
    public void leave(DiscardReason reason) {
        gone = true;
        markIfUnmarked(reason);
    }

    /** Whether it has a place in the store. */
    public boolean hasPlace() {
        return group != null;
    }

    /** Whether it is being validated or waits for that. The keeper then owns it. */
    public boolean isValidating() {
        return validating;
    }

    public void setValidating(boolean value) {
        validating = value;
    }

    /** When it was last validated, or when it was opened. */
    public long validatedNanos() {
        return validatedNanos;
    }

    public void setValidatedNanos(long nanos) {
        validatedNanos = nanos;
    }

    /** Whether it is being validated a second time after a sign of trouble. */
    public boolean isValidatingTwice() {
        return validatingTwice;
    }

    public void setValidatingTwice(boolean value) {
        validatingTwice = value;
    }

    /** Counts a validation that could not be carried out. Returns how many there were in a row. */
    public int addFailedQuestion() {
        return ++failedQuestions;
    }

    public void clearFailedQuestions() {
        failedQuestions = 0;
    }

    @Override
    public long shownAliveNanos() {
        return Math.max(returnedNanos, validatedNanos);
    }

    /** Records whether it was used since the last call. */
    public void noteUse(long nowNanos) {
        long seen = uses;
        if (seen != usesSeen || inUse) {
            usesSeen = seen;
            unusedSinceNanos = nowNanos;
        }
    }

    /** Since when it has seemed unused. */
    public long unusedSinceNanos() {
        return unusedSinceNanos;
    }

    /** Since when it has been neither used nor validated. */
    public long quietSinceNanos() {
        return Math.max(unusedSinceNanos, validatedNanos);
    }

    public void clearOwnerlessChecks() {
        ownerlessChecks = 0;
    }

    /** Counts a check that found no owner. Returns how many there were in a row. */
    public int addOwnerlessCheck(long nowNanos) {
        if (ownerlessChecks++ == 0) {
            ownerlessSinceNanos = nowNanos;
        }
        return ownerlessChecks;
    }

    /** When the first check in a row found no owner. */
    public long ownerlessSinceNanos() {
        return ownerlessSinceNanos;
    }

    /** Links it before the other entries that are retired and still to be closed. Allocates nothing. */
    public void owe(DiscardReason reason, @Nullable Entry<T> others) {
        owedFor = reason;
        nextOwed = others;
    }

    /** The reason of the last {@link #owe}. */
    public @Nullable DiscardReason owedFor() {
        return owedFor;
    }

    /** Takes it out of the list of {@link #owe}. Returns the others. */
    public @Nullable Entry<T> unlinkOwed() {
        Entry<T> others = nextOwed;
        nextOwed = null;
        return others;
    }

    /** Whether listeners were told that it is discarded. */
    public boolean isDiscardTold() {
        return discardTold;
    }

    public void setDiscardTold() {
        discardTold = true;
    }

    @Override
    public String toString() {
        return "Pooled[born=" + bornNanos + ", expires=" + expiresNanos + (overflow ? ", overflow" : "") + "]";
    }
}
