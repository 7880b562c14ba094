package dev.reservoir.jdbc;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.NoConnectionException;
import dev.reservoir.core.Pooled;
import dev.reservoir.core.Reservoir;
import dev.reservoir.core.Text;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Has connections proven before they are lent, for those who ask for that. One that does not answer is thrown away and the next
 * is taken, until the deadline. Never calls the driver on the borrower's thread, since a driver may hang beyond any deadline: a
 * proof that outlasts its borrower goes on without him, and decides then whether the connection stays.
 */
final class CheckoutProof {
    private final JdbcConnector connector;
    private final long proofTimeoutNanos;
    private final long idleNanos;

    /** Proves those idle for longer than this; below zero proves all. */
    CheckoutProof(JdbcConnector connector, long proofTimeoutNanos, long idleNanos) {
        this.connector = connector;
        this.proofTimeoutNanos = proofTimeoutNanos;
        this.idleNanos = idleNanos;
    }

    /** A time-out of zero is not to wait for a connection; one that is ready has until the proof's time-out to answer. */
    Pooled<PhysicalConnection> acquire(Reservoir<PhysicalConnection> reservoir, long timeoutNanos)
            throws InterruptedException {
        boolean waits = timeoutNanos > 0;
        long patienceNanos = waits ? timeoutNanos : proofTimeoutNanos;
        long deadlineNanos = reservoir.nanos() + patienceNanos;
        for (; ; ) {
            Pooled<PhysicalConnection> pooled =
                    reservoir.acquire(waits ? Math.max(0, deadlineNanos - reservoir.nanos()) : 0);
            long now = pooled.lentNanos();
            if (now - pooled.idleSinceNanos() <= idleNanos) {
                return pooled;
            }
            try {
                if (works(reservoir, pooled, deadlineNanos - now)) {
                    return pooled;
                }
            } catch (TimeoutException e) {
                throw noAnswer(reservoir.name(), patienceNanos);
            }
        }
    }

    private boolean works(Reservoir<PhysicalConnection> reservoir, Pooled<PhysicalConnection> pooled, long leftNanos)
            throws InterruptedException, TimeoutException {
        CompletableFuture<Boolean> proof = connector.proveForBorrower(pooled.connection(), proofTimeoutNanos);
        try {
            boolean works = proof.get(leftNanos, TimeUnit.NANOSECONDS);
            if (!works) {
                throwAway(reservoir, pooled);
            }
            return works;
        } catch (InterruptedException | TimeoutException e) {
            CompletionStage<Boolean> stage = proof;
            stage.thenAccept(works -> settle(reservoir, pooled, works));
            throw e;
        } catch (ExecutionException e) {
            throw new IllegalStateException("bug: a proof ended without an answer", e);
        }
    }

    private static void settle(
            Reservoir<PhysicalConnection> reservoir, Pooled<PhysicalConnection> pooled, boolean works) {
        if (works) {
            reservoir.release(pooled);
        } else {
            throwAway(reservoir, pooled);
        }
    }

    private static void throwAway(Reservoir<PhysicalConnection> reservoir, Pooled<PhysicalConnection> pooled) {
        reservoir.discard(pooled, DiscardReason.VALIDATION_FAILED);
        reservoir.suspectAll();
    }

    private NoConnectionException noAnswer(String name, long patienceNanos) {
        return new NoConnectionException(
                NoConnectionException.Why.TIMEOUT,
                name + ": no connection within " + Text.nanos(patienceNanos)
                        + ". Limit reached: the proof at checkout (validation); the connection at hand has not answered yet,"
                        + " and has until validationTimeout (" + Text.nanos(proofTimeoutNanos) + ") to do so",
                null);
    }
}
