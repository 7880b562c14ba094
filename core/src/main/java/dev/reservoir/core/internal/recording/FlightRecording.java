package dev.reservoir.core.internal.recording;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.Pooled;
import dev.reservoir.core.spi.Listener;

/**
 * Tells Java's Flight Recorder what happens in one reservoir. While nothing records, an event costs a few nanoseconds.
 * Never records an error message, because it may contain a secret. Loads only on a JVM that has the module
 * {@code jdk.jfr}.
 *
 * @param <T> the connection
 */
public final class FlightRecording<T> implements Listener<T> {
    /** Shorter waits are not recorded. Under load there may be hundreds of thousands of them in a second. */
    private static final long WAIT_MIN_NANOS = 1_000_000L;

    private final String pool;

    public FlightRecording(String pool) {
        this.pool = pool;
    }

    @Override
    public boolean neverBlocks() {
        return true;
    }

    @Override
    public boolean wantsValidations() {
        return true;
    }

    @Override
    public void opened(Pooled<T> connection, long openNanos) {
        var event = new PoolEvent.Connect();
        if (event.shouldCommit()) {
            event.took = openNanos;
            commit(event);
        }
    }

    @Override
    public void openFailed(OpenFailureReason reason, Throwable cause, int failuresInARow) {
        var event = new PoolEvent.ConnectFailure();
        if (event.shouldCommit()) {
            event.reason = reason.label();
            event.failuresInARow = failuresInARow;
            commit(event);
        }
    }

    @Override
    public void validated(Pooled<T> connection, boolean works, long tookNanos) {
        var event = new PoolEvent.Validation();
        if (event.shouldCommit()) {
            event.works = works;
            event.took = tookNanos;
            commit(event);
        }
    }

    @Override
    public void discarded(Pooled<T> connection, DiscardReason reason, long remainingNanos) {
        var event = new PoolEvent.Discard();
        if (event.shouldCommit()) {
            event.reason = reason.label();
            event.remaining = remainingNanos;
            event.uses = connection.uses();
            commit(event);
        }
    }

    @Override
    public void waitEnded(long waitedNanos, boolean served) {
        if (waitedNanos >= WAIT_MIN_NANOS) {
            var event = new PoolEvent.CheckoutWait();
            if (event.shouldCommit()) {
                event.waited = waitedNanos;
                event.served = served;
                commit(event);
            }
        }
    }

    private void commit(PoolEvent event) {
        event.pool = pool;
        event.commit();
    }
}
