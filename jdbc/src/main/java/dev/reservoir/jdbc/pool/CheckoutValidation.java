package dev.reservoir.jdbc.pool;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.NoConnectionException;
import dev.reservoir.core.Pooled;
import dev.reservoir.core.Reservoir;
import dev.reservoir.core.util.Text;
import dev.reservoir.jdbc.connect.CallerValidation.Answer;
import dev.reservoir.jdbc.connect.JdbcConnector;
import dev.reservoir.jdbc.wrap.PhysicalConnection;
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
 * connection stays. If there is no answer soon, the engine finds out whether the server answers others; if so, the one that hangs is
 * thrown away at once.
 */
final class CheckoutValidation {
    private final JdbcConnector connector;
    private final long validationTimeoutNanos;
    private final long idleNanos;

    /** Validates those idle for longer than this; below zero validates all. */
    CheckoutValidation(JdbcConnector connector, long validationTimeoutNanos, long idleNanos) {
        this.connector = connector;
        this.validationTimeoutNanos = validationTimeoutNanos;
        this.idleNanos = idleNanos;
    }

    /**
     * Takes a connection. A timeout of zero is not to wait for one; one that is ready has until the validation's timeout to
     * answer.
     */
    Pooled<PhysicalConnection> acquire(Reservoir<PhysicalConnection> reservoir, long timeoutNanos)
            throws InterruptedException {
        return acquire(reservoir, timeoutNanos, timeoutNanos > 0 ? timeoutNanos : validationTimeoutNanos);
    }

    /**
     * Takes a connection for a pool on top, which does not wait long for one. The time to answer is not shorter for that: it is at
     * least the validation's timeout.
     */
    Pooled<PhysicalConnection> acquireForPool(Reservoir<PhysicalConnection> reservoir, long emptyWaitNanos)
            throws InterruptedException {
        return acquire(reservoir, emptyWaitNanos, Math.max(emptyWaitNanos, validationTimeoutNanos));
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
        return pooled.acquiredNanos() - pooled.idleSinceNanos() > idleNanos;
    }

    private Pooled<PhysicalConnection> acquireSlowly(
            Reservoir<PhysicalConnection> reservoir,
            @Nullable Pooled<PhysicalConnection> first,
            long waitNanos,
            long answerNanos)
            throws InterruptedException {
        long begunNanos = first == null ? reservoir.nanos() : first.acquiredNanos();
        Pooled<PhysicalConnection> pooled = first == null ? reservoir.acquire(waitNanos) : first;
        for (; ; ) {
            if (!isDue(pooled)) {
                return pooled;
            }
            switch (answer(reservoir, pooled, begunNanos, answerNanos)) {
                case WORKS -> {
                    reservoir.noteWorks(pooled);
                    return pooled;
                }
                case WORKS_AFTER_DOUBT -> {
                    // The engine would judge this use of it later on. It validates what it hands out after a doubt.
                    reservoir.release(pooled, true);
                    return reservoir.acquire(Math.max(0, begunNanos + answerNanos - reservoir.nanos()));
                }
                case DOES_NOT_WORK -> throwAway(reservoir, pooled);
                case LOST -> reservoir.discard(pooled, DiscardReason.UNRESPONSIVE);
            }
            pooled = reservoir.acquire(Math.max(0, begunNanos + waitNanos - reservoir.nanos()));
        }
    }

    /** Validates a connection. If this throws, the caller has the connection no more. */
    private Answer answer(
            Reservoir<PhysicalConnection> reservoir,
            Pooled<PhysicalConnection> pooled,
            long begunNanos,
            long answerNanos)
            throws InterruptedException {
        CompletableFuture<Answer> answer = begun(reservoir, pooled);
        try {
            return answer.get(begunNanos + answerNanos - reservoir.nanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            settleLater(reservoir, pooled, answer);
            throw e;
        } catch (TimeoutException e) {
            settleLater(reservoir, pooled, answer);
            throw noAnswer(reservoir.name(), answerNanos);
        } catch (ExecutionException e) {
            reservoir.discard(pooled, DiscardReason.VALIDATION_FAILED);
            throw new IllegalStateException("bug: a validation ended without an answer", e);
        } catch (RuntimeException | Error e) {
            reservoir.discard(pooled, DiscardReason.VALIDATION_FAILED);
            throw e;
        }
    }

    /** An error on the way, such as memory that runs out, must not lose the connection. */
    private CompletableFuture<Answer> begun(
            Reservoir<PhysicalConnection> reservoir, Pooled<PhysicalConnection> pooled) {
        try {
            long askedNanos = reservoir.nanos();
            return connector
                    .validateForCaller(
                            pooled.connection(), validationTimeoutNanos, () -> reservoir.doubt(pooled, askedNanos))
                    .answer();
        } catch (RuntimeException | Error e) {
            reservoir.discard(pooled, DiscardReason.VALIDATION_FAILED);
            throw e;
        }
    }

    /** The caller has gone; the answer decides whether the connection stays. */
    private static void settleLater(
            Reservoir<PhysicalConnection> reservoir, Pooled<PhysicalConnection> pooled, CompletionStage<Answer> stage) {
        stage.thenAccept(answer -> {
            switch (answer) {
                case WORKS, WORKS_AFTER_DOUBT -> reservoir.release(pooled, true);
                case DOES_NOT_WORK -> throwAway(reservoir, pooled);
                case LOST -> reservoir.discard(pooled, DiscardReason.UNRESPONSIVE);
            }
        });
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
                        + " and has until validationTimeout (" + Text.nanos(validationTimeoutNanos) + ") to do so.",
                null);
    }
}
