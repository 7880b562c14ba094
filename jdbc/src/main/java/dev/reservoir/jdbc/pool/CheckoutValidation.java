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
 * Validates connections before they are handed out: all of them, or those that have been idle for a while. A connection
 * that does not work is discarded, and the next one is tried, until the deadline.
 *
 * <p>The driver runs on another thread than the caller, because it may hang beyond any deadline. A validation that
 * outlasts its caller continues without it, and its result decides whether the connection stays. If there is no answer
 * soon, the engine finds out whether the server answers on other connections. If it does, the connection that hangs is
 * discarded at once. Never blocks a caller beyond its deadline.
 */
final class CheckoutValidation {
    private final JdbcConnector connector;
    private final long validationTimeoutNanos;
    private final long idleNanos;

    /** Validates connections that were idle for longer than this. A negative value validates all. */
    CheckoutValidation(JdbcConnector connector, long validationTimeoutNanos, long idleNanos) {
        this.connector = connector;
        this.validationTimeoutNanos = validationTimeoutNanos;
        this.idleNanos = idleNanos;
    }

    /**
     * Acquires a connection. With a timeout of zero the caller does not wait for a connection, but a ready one still
     * has until the validation timeout to answer.
     */
    Pooled<PhysicalConnection> acquire(Reservoir<PhysicalConnection> reservoir, long timeoutNanos)
            throws InterruptedException {
        return acquire(reservoir, timeoutNanos, timeoutNanos > 0 ? timeoutNanos : validationTimeoutNanos);
    }

    /**
     * Acquires a connection for a pool on top, which waits only briefly for one. The time to answer is not that short:
     * it is at least the validation timeout.
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

    /** Whether the connection last showed too long ago that it works. */
    boolean isDue(Pooled<PhysicalConnection> pooled) {
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
                    // The engine could still find this use of the connection lost. So this use ends here. The engine
                    // validates every connection before it hands it out after a doubt.
                    reservoir.release(pooled, true);
                    return reservoir.acquire(Math.max(0, begunNanos + answerNanos - reservoir.nanos()));
                }
                case DOES_NOT_WORK -> throwAway(reservoir, pooled);
                case LOST -> reservoir.discard(pooled, DiscardReason.UNRESPONSIVE);
            }
            pooled = reservoir.acquire(Math.max(0, begunNanos + waitNanos - reservoir.nanos()));
        }
    }

    /** Validates a connection. If this throws, the caller no longer has the connection. */
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

    /** An error here, such as a lack of memory, must not lose the connection. */
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

    /** The caller has given up waiting. The answer decides whether the connection stays. */
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
                        + ". Limit reached: the validation at checkout; the connection has not answered yet,"
                        + " and has until validationTimeout (" + Text.nanos(validationTimeoutNanos) + ") to do so.",
                null);
    }
}
