package dev.reservoir.flightsql.pool;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.Pooled;
import dev.reservoir.flightsql.CancelBehavior;
import dev.reservoir.flightsql.FlightSqlException;
import dev.reservoir.flightsql.FlightSqlException.Kind;
import dev.reservoir.flightsql.call.Deadline;
import dev.reservoir.flightsql.call.Failures;
import dev.reservoir.flightsql.call.Interrupts;
import dev.reservoir.flightsql.connect.FlightConnection;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.sql.FlightSqlClient.PreparedStatement;
import org.jspecify.annotations.Nullable;

/** One checkout: a connection from acquire until it is released or discarded, exactly once, after one statement. */
final class Held extends ConnectionOwner {
    private final Pooled<FlightConnection> pooled;
    private final AtomicBoolean done = new AtomicBoolean();
    private volatile CancelBehavior cancel = CancelBehavior.CANCEL;
    private volatile boolean leavesState;

    Held(RunningPool pool, Pooled<FlightConnection> pooled) {
        super(pool, pooled.connection());
        this.pooled = pooled;
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
        if (!done.compareAndSet(false, true)) {
            return;
        }
        if (connection.isLost()) {
            pool.reservoir().discard(pooled, DiscardReason.BAD);
        } else if (leavesState) {
            pool.reservoir().discard(pooled, DiscardReason.EVICTED);
        } else {
            pool.reservoir().release(pooled, true);
        }
    }

    /** Takes the connection out of the pool. */
    void discard() {
        if (done.compareAndSet(false, true)) {
            pool.reservoir().discard(pooled, DiscardReason.BAD);
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
        end(Interrupts.test(() -> pool.closePrepared(oneOff, deadline)));
    }

    @Override
    void failed(FlightSqlException failure, @Nullable FlightInfo info, @Nullable PreparedStatement oneOff) {
        if (failure.kind() == Kind.CONNECTION_LOST) {
            discard();
        } else if (Failures.needsHealthCheck(failure)) {
            pool.inBackground(() -> end(pool.works(connection) && pool.closePrepared(oneOff)), this::discard);
        } else if (failure.kind() != Kind.SQL) {
            pool.inBackground(
                    () -> end(pool.stopStatement(connection, null, info, cancel) && pool.closePrepared(oneOff)),
                    this::discard);
        } else if (oneOff != null) {
            pool.inBackground(() -> end(pool.closePrepared(oneOff)), this::discard);
        } else {
            release();
        }
    }

    @Override
    void finished(ResultCore result) {
        FlightSqlException failure = result.cursor.failure();
        boolean over = result.cursor.hasEnded() || (failure != null && failure.kind() == Kind.SQL);
        if (over && result.prepared == null && (failure == null || !Failures.needsHealthCheck(failure))) {
            result.cursor.close();
            release();
        } else if (connection.isLost()) {
            result.cursor.close();
            discard();
        } else {
            pool.inBackground(() -> end(pool.settle(connection, result, cancel)), () -> {
                result.cursor.close();
                discard();
            });
        }
    }

    private void end(boolean reusable) {
        if (reusable) {
            release();
        } else {
            discard();
        }
    }
}
