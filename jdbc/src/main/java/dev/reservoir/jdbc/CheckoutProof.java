package dev.reservoir.jdbc;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.Pooled;
import dev.reservoir.core.Reservoir;

/**
 * Proves connections on the borrower's thread before they are lent, for those who ask for that. One that does not answer is
 * thrown away and the next is taken, until the deadline.
 */
final class CheckoutProof {
    private final Proof proof;
    private final long proofTimeoutNanos;
    private final long idleNanos;

    /** Proves those idle for longer than this; below zero proves all. */
    CheckoutProof(Proof proof, long proofTimeoutNanos, long idleNanos) {
        this.proof = proof;
        this.proofTimeoutNanos = proofTimeoutNanos;
        this.idleNanos = idleNanos;
    }

    Pooled<PhysicalConnection> acquire(Reservoir<PhysicalConnection> reservoir, long timeoutNanos)
            throws InterruptedException {
        long deadlineNanos = reservoir.nanos() + timeoutNanos;
        for (; ; ) {
            Pooled<PhysicalConnection> pooled = reservoir.acquire(deadlineNanos - reservoir.nanos());
            long now = pooled.lentNanos();
            if (now - pooled.idleSinceNanos() <= idleNanos) {
                return pooled;
            }
            long patienceNanos = Math.max(1, Math.min(proofTimeoutNanos, deadlineNanos - now));
            if (works(reservoir, pooled, patienceNanos)) {
                return pooled;
            }
        }
    }

    private boolean works(
            Reservoir<PhysicalConnection> reservoir, Pooled<PhysicalConnection> pooled, long patienceNanos) {
        boolean works = false;
        try {
            works = proof.works(pooled.connection().raw, patienceNanos);
        } finally {
            if (!works) {
                reservoir.discard(pooled, DiscardReason.VALIDATION_FAILED);
                reservoir.suspectAll();
            }
        }
        return works;
    }
}
