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
import org.jspecify.annotations.Nullable;

/**
 * Validates connections before they are handed out: all of them, or those that have been idle for a while. One that does not answer
 * is thrown away and the next is taken, until the deadline. The driver is called on another thread than the caller's, since a
 * driver may hang beyond any deadline: a validation that outlasts its caller goes on without it, and decides then whether the
 * connection stays.
 */
final class CheckoutProof {
    private final JdbcConnector connector;
    private final long proofTimeoutNanos;
    private final long idleNanos;

    /** Validates those idle for longer than this; below zero validates all. */
    CheckoutProof(JdbcConnector connector, long proofTimeoutNanos, long idleNanos) {
        this.connector = connector;
        this.proofTimeoutNanos = proofTimeoutNanos;
        this.idleNanos = idleNanos;
    }

    /**
     * Takes a connection. A timeout of zero is not to wait for one; one that is ready has until the validation's timeout to
     * answer.
     */
    Pooled<PhysicalConnection> acquire(Reservoir<PhysicalConnection> reservoir, long timeoutNanos)
            throws InterruptedException {
        return acquire(reservoir, timeoutNanos, timeoutNanos > 0 ? timeoutNanos : proofTimeoutNanos);
    }

    /**
     * Takes a connection for a pool on top, which does not wait long for one. The time to answer is not shorter for that: it is at
     * least the validation's timeout.
     */
    Pooled<PhysicalConnection> acquireForPool(Reservoir<PhysicalConnection> reservoir, long emptyWaitNanos)
            throws InterruptedException {
        return acquire(reservoir, emptyWaitNanos, Math.max(emptyWaitNanos, proofTimeoutNanos));
    }

    private Pooled<PhysicalConnection> acquire(
            Reservoir<PhysicalConnection> reservoir, long waitNanos, long answerNanos) throws InterruptedException {
        Pooled<PhysicalConnection> ready = reservoir.tryAcquire();
        if (ready != null && !isDue(ready)) {
            return ready;
        }
        return acquireSlowly(reservoir, ready, waitNanos, answerNanos);
    }

    /** Whether it has shown too long ago that it works. */
    private boolean isDue(Pooled<PhysicalConnection> pooled) {
        return pooled.lentNanos() - pooled.idleSinceNanos() > idleNanos;
    }

    private Pooled<PhysicalConnection> acquireSlowly(
            Reservoir<PhysicalConnection> reservoir,
            @Nullable Pooled<PhysicalConnection> first,
            long waitNanos,
            long answerNanos)
            throws InterruptedException {
        long begunNanos = first == null ? reservoir.nanos() : first.lentNanos();
        Pooled<PhysicalConnection> pooled = first == null ? reservoir.acquire(waitNanos) : first;
        for (; ; ) {
            try {
                if (!isDue(pooled) || works(reservoir, pooled, begunNanos + answerNanos - reservoir.nanos())) {
                    return pooled;
                }
            } catch (TimeoutException e) {
                throw noAnswer(reservoir.name(), answerNanos);
            }
            pooled = reservoir.acquire(Math.max(0, begunNanos + waitNanos - reservoir.nanos()));
        }
    }

    private boolean works(Reservoir<PhysicalConnection> reservoir, Pooled<PhysicalConnection> pooled, long leftNanos)
            throws InterruptedException, TimeoutException {
        CompletableFuture<Boolean> proof = begun(reservoir, pooled);
        boolean works;
        try {
            works = proof.get(leftNanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException | TimeoutException e) {
            CompletionStage<Boolean> stage = proof;
            stage.thenAccept(answer -> settle(reservoir, pooled, answer));
            throw e;
        } catch (ExecutionException e) {
            reservoir.discard(pooled, DiscardReason.VALIDATION_FAILED);
            throw new IllegalStateException("bug: a validation ended without an answer", e);
        } catch (RuntimeException | Error e) {
            reservoir.discard(pooled, DiscardReason.VALIDATION_FAILED);
            throw e;
        }
        if (works) {
            reservoir.noteWorks(pooled);
        } else {
            throwAway(reservoir, pooled);
        }
        return works;
    }

    /** An error on the way, such as memory that runs out, must not lose the connection. */
    private CompletableFuture<Boolean> begun(
            Reservoir<PhysicalConnection> reservoir, Pooled<PhysicalConnection> pooled) {
        try {
            return connector.proveForCaller(pooled.connection(), proofTimeoutNanos);
        } catch (RuntimeException | Error e) {
            reservoir.discard(pooled, DiscardReason.VALIDATION_FAILED);
            throw e;
        }
    }

    private static void settle(
            Reservoir<PhysicalConnection> reservoir, Pooled<PhysicalConnection> pooled, boolean works) {
        if (works) {
            reservoir.release(pooled, true);
        } else {
            throwAway(reservoir, pooled);
        }
    }

    private static void throwAway(Reservoir<PhysicalConnection> reservoir, Pooled<PhysicalConnection> pooled) {
        reservoir.discard(pooled, DiscardReason.VALIDATION_FAILED);
        reservoir.suspectOthers();
    }

    private NoConnectionException noAnswer(String name, long patienceNanos) {
        return new NoConnectionException(
                NoConnectionException.Why.TIMEOUT,
                name + ": no connection within " + Text.nanos(patienceNanos)
                        + ". Limit reached: the validation at checkout; the connection at hand has not answered yet,"
                        + " and has until validationTimeout (" + Text.nanos(proofTimeoutNanos) + ") to do so.",
                null);
    }
}
