package dev.reservoir.cluster.membership;

import dev.reservoir.cluster.protocol.BudgetContext;
import dev.reservoir.cluster.protocol.BudgetPart;

/**
 * When the member's item was written, and what follows from that: how long this process can be sure of its membership,
 * and when the next heartbeat is due. Never writes itself. Used only on the budget's serial executor.
 */
final class HeartbeatTimes extends BudgetPart {
    /** Time between two heartbeats in a small fleet, in lease times. */
    private static final double RENEWAL = 1 / 7.5;

    /** Time between two heartbeats in a large fleet, in lease times. Leaves time for attempts before {@link #SURE}. */
    private static final double RENEWAL_IN_A_LARGE_FLEET = 0.4;

    /** Time between two heartbeats while a checked member is overdue, in lease times: short, to see if writes work. */
    private static final double RENEWAL_OF_A_WITNESS = 0.06;

    /** After a throttled write, a witness writes no more often than other processes for this part of a lease time. */
    private static final double AFTER_THROTTLING = 0.1;

    /** Writes are steady if none are further apart than this, in lease times. Shorter outages do not matter. */
    private static final double STEADY = 0.09;

    /** For this part of a lease time after it was last written, the item is certainly not deleted. */
    private static final double SURE = 0.55;

    private final double leaseNanos;
    private long sureUntilNanos;

    /** Since when this process has been sure of its membership without a break, as of the last write. */
    private long sureSinceNanos;

    /** Whether a write under this id is known to have been applied. */
    private boolean hasWritten;

    /** When the last applied write was sent. */
    private long wroteNanos;

    /** Since when writes have been applied at short intervals, as of the last one. */
    private long steadySinceNanos;

    private boolean witness;

    /** Until when a witness writes no more often than usual, to spare a store that throttles. */
    private long throttledUntilNanos;

    private long renewAtNanos;

    HeartbeatTimes(BudgetContext context) {
        super(context);
        this.leaseNanos = settings.leaseTime().toNanos();
        this.throttledUntilNanos = time.nanos();
    }

    /** Whether no other process can have taken this member for dead yet. */
    boolean isSure() {
        return time.nanos() < sureUntilNanos;
    }

    /** Since when this process has been sure without a break, as of the last write. */
    long sureSinceNanos() {
        return sureSinceNanos;
    }

    /** Returns how long writes have been applied at short intervals, up to now; 0 if they are not. */
    long steadyNanos() {
        long now = time.nanos();
        boolean steady = hasWritten && now - wroteNanos <= STEADY * leaseNanos;
        return steady ? now - steadySinceNanos : 0;
    }

    /** When the next heartbeat is due. */
    long renewAtNanos() {
        return renewAtNanos;
    }

    /** Notes a write of the item that was sent then and has been applied. */
    void wrote(long sentNanos) {
        long now = time.nanos();
        if (!hasWritten || sentNanos - wroteNanos > SURE * leaseNanos) {
            sureSinceNanos = now;
        }
        if (!hasWritten || sentNanos - wroteNanos > STEADY * leaseNanos) {
            steadySinceNanos = now;
        }
        hasWritten = true;
        wroteNanos = sentNanos;
        sureUntilNanos = sentNanos + (long) (SURE * leaseNanos);
        double usual = RENEWAL + context.largeness() * (RENEWAL_IN_A_LARGE_FLEET - RENEWAL);
        renewAtNanos = sentNanos + jittered(usual);
        if (witness) {
            renewAtNanos = Math.min(renewAtNanos, renewalOfAWitness());
        }
    }

    /**
     * Notes that the item was found in the store. It is unknown when it was written, and a write that seemed lost may
     * still arrive. The process is not sure of its membership until it has written again.
     */
    void found() {
        sureUntilNanos = time.nanos();
        renewAtNanos = time.nanos();
    }

    /** Notes that this process is no member any more. */
    void lost() {
        hasWritten = false;
    }

    /** Notes that the store throttled a write. */
    void throttled() {
        throttledUntilNanos = time.nanos() + (long) (AFTER_THROTTLING * leaseNanos);
    }

    /** Sets whether this process is a witness, which writes at short intervals to learn whether writes get through. */
    boolean witness(boolean now) {
        boolean becomes = now && !witness;
        if (becomes) {
            renewAtNanos = Math.min(renewAtNanos, renewalOfAWitness());
        }
        witness = now;
        return becomes;
    }

    private long renewalOfAWitness() {
        return Math.max(wroteNanos, throttledUntilNanos) + jittered(RENEWAL_OF_A_WITNESS);
    }

    private long jittered(double leases) {
        return (long) (leases * leaseNanos * (0.9 + context.random().nextDouble() / 10));
    }
}
