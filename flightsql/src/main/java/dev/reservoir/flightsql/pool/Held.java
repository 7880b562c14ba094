package dev.reservoir.flightsql.pool;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.Pooled;
import dev.reservoir.flightsql.CallTracer.Span;
import dev.reservoir.flightsql.CallTracer.Step;
import dev.reservoir.flightsql.CallTracer.Trace;
import dev.reservoir.flightsql.CancelBehavior;
import dev.reservoir.flightsql.FlightSqlException;
import dev.reservoir.flightsql.FlightSqlException.Kind;
import dev.reservoir.flightsql.call.Deadline;
import dev.reservoir.flightsql.call.Failures;
import dev.reservoir.flightsql.call.Interrupts;
import dev.reservoir.flightsql.connect.FlightConnection;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.sql.FlightSqlClient.PreparedStatement;
import org.jspecify.annotations.Nullable;

/** One checkout: a connection from acquire until it is released or discarded, exactly once, after one statement. */
final class Held extends ConnectionOwner {
    private final Pooled<FlightConnection> pooled;
    private final AtomicBoolean done = new AtomicBoolean();
    private volatile CancelBehavior cancel = CancelBehavior.CANCEL;
    private volatile boolean leavesState;
    private final Trace trace;
    private volatile @Nullable Span releasing;

    Held(RunningPool pool, Pooled<FlightConnection> pooled, Trace trace) {
        super(pool, pooled.connection());
        this.pooled = pooled;
        this.trace = trace;
    }

    @Override
    Trace trace() {
        return trace;
    }

    /** The work begins after which the connection is released or discarded. */
    void beginRelease() {
        releasing = trace.start(Step.RELEASE);
    }

    private boolean isFirstEnd() {
        if (!done.compareAndSet(false, true)) {
            return false;
        }
        if (releasing == null) {
            beginRelease();
        }
        return true;
    }

    private void endRelease() {
        Span span = releasing;
        if (span != null) {
            span.end(null);
        }
    }

    /**
     * Sets what happens after the statement.
     *
     * @param leaves whether the statement may leave something behind in the session
     */
    Held prepareFor(CancelBehavior behavior, boolean leaves) {
        cancel = behavior;
        leavesState = leaves;
        return this;
    }

    /** Gives the connection back. It is handed out again unless it is lost or holds state of its last user. */
    void release() {
        if (!isFirstEnd()) {
            return;
        }
        if (connection.isLost()) {
            pool.reservoir().discard(pooled, DiscardReason.BAD);
        } else if (leavesState) {
            pool.reservoir().discard(pooled, DiscardReason.EVICTED);
        } else {
            pool.reservoir().release(pooled, true);
        }
        endRelease();
    }

    /** Takes the connection out of the pool. */
    void discard() {
        if (isFirstEnd()) {
            pool.reservoir().discard(pooled, DiscardReason.BAD);
            endRelease();
        }
    }

    /** Takes the connection out of the pool although it may work, because of what its last user left behind. */
    void drop() {
        leavesState = true;
        release();
    }

    /** Closes the statement on this thread, so that a caller's next call finds the connection free. */
    @Override
    void succeeded(@Nullable PreparedStatement oneOff, Deadline deadline) {
        beginRelease();
        end(Interrupts.test(() -> pool.cleanup().closePrepared(oneOff, deadline)));
    }

    @Override
    void failed(FlightSqlException failure, @Nullable FlightInfo info, @Nullable PreparedStatement oneOff) {
        beginRelease();
        if (failure.kind() == Kind.CONNECTION_LOST) {
            discard();
        } else if (Failures.needsHealthCheck(failure)) {
            inBackground(
                    () -> pool.cleanup().works(connection) && pool.cleanup().closePrepared(oneOff), this::discard);
        } else if (failure.kind() != Kind.SQL) {
            inBackground(
                    () -> pool.cleanup().stopStatement(connection, null, info, cancel)
                            && pool.cleanup().closePrepared(oneOff),
                    this::discard);
        } else if (oneOff != null) {
            inBackground(() -> pool.cleanup().closePrepared(oneOff), this::discard);
        } else {
            release();
        }
    }

    @Override
    void finished(ResultCore result) {
        beginRelease();
        FlightSqlException failure = result.cursor.failure();
        boolean over = result.cursor.hasEnded() || (failure != null && failure.kind() == Kind.SQL);
        if (over && result.prepared == null && (failure == null || !Failures.needsHealthCheck(failure))) {
            result.cursor.close();
            release();
        } else if (connection.isLost()) {
            result.cursor.close();
            discard();
        } else {
            inBackground(() -> pool.cleanup().settle(connection, result, cancel), () -> {
                result.cursor.close();
                discard();
            });
        }
    }

    /** Runs the work that tells whether the connection can be used again. If it fails, the connection is dropped. */
    private void inBackground(BooleanSupplier work, Runnable instead) {
        pool.inBackground(
                () -> {
                    boolean reusable = false;
                    try {
                        reusable = work.getAsBoolean();
                    } finally {
                        end(reusable);
                    }
                },
                instead);
    }

    private void end(boolean reusable) {
        if (reusable) {
            release();
        } else {
            discard();
        }
    }
}
