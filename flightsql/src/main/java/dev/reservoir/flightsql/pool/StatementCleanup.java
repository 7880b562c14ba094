package dev.reservoir.flightsql.pool;

import dev.reservoir.core.spi.Time;
import dev.reservoir.flightsql.CancelBehavior;
import dev.reservoir.flightsql.FlightSqlException;
import dev.reservoir.flightsql.PoolConfig;
import dev.reservoir.flightsql.call.Deadline;
import dev.reservoir.flightsql.call.Failures;
import dev.reservoir.flightsql.call.ResultCursor;
import dev.reservoir.flightsql.call.ServerCancel;
import dev.reservoir.flightsql.connect.FlightConnection;
import dev.reservoir.flightsql.connect.HealthCheck;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.sql.FlightSqlClient.PreparedStatement;
import org.jspecify.annotations.Nullable;

/**
 * Ends statements and results that their callers have left, and tells whether the connection can be used again. Never
 * gives a connection back itself. All methods block, for the cancel timeout at most.
 */
final class StatementCleanup {
    /**
     * How long the rest of a result that was closed early is read before the server is asked to stop. Most such results
     * have ended on the server, and reading them costs less than a cancel or a connection.
     */
    private static final long DRAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final PoolConfig config;
    private final PoolCounters counters;
    private final Time time;
    private final HealthCheck healthCheck;
    private final ServerCancel serverCancel = new ServerCancel();

    StatementCleanup(PoolConfig config, PoolCounters counters, Time time) {
        this.config = config;
        this.counters = counters;
        this.time = time;
        healthCheck = new HealthCheck(config.healthcheckSql());
    }

    ServerCancel serverCancel() {
        return serverCancel;
    }

    /** Whether the health check succeeds. Blocks for the cancel timeout at most. */
    boolean works(FlightConnection connection) {
        return healthCheck.works(connection, config.cancelTimeout().toNanos());
    }

    /** Does the same, and blocks until the deadline at most. */
    boolean works(FlightConnection connection, Deadline deadline) {
        return healthCheck.works(
                connection, deadline.leftNanos(config.cancelTimeout().toNanos()));
    }

    /** Ends a result. Returns whether the connection can be used again. Blocks for the cancel timeout at most. */
    boolean settle(FlightConnection connection, ResultCore result, CancelBehavior cancel) {
        ResultCursor cursor = result.cursor;
        FlightSqlException failure = cursor.failure();
        boolean over = cursor.hasEnded() || (failure != null && failure.kind() == FlightSqlException.Kind.SQL);
        boolean reusable;
        if (over) {
            cursor.close();
            reusable = failure == null || !Failures.needsHealthCheck(failure) || works(connection);
        } else {
            reusable = stopStatement(connection, cursor, cursor.info(), cancel);
        }
        return reusable && closePrepared(result.prepared);
    }

    /** Closes a statement, if there is one, within the cancel timeout. Returns whether that succeeded. Blocks. */
    boolean closePrepared(@Nullable PreparedStatement statement) {
        return closePrepared(statement, Deadline.in(null));
    }

    /** Does the same, and blocks until the deadline at most. */
    boolean closePrepared(@Nullable PreparedStatement statement, Deadline deadline) {
        if (statement == null) {
            return true;
        }
        long nanos = deadline.leftNanos(config.cancelTimeout().toNanos());
        try {
            statement.close(Deadline.in(Duration.ofNanos(nanos)).options());
            return true;
        } catch (RuntimeException e) {
            return false;
        }
    }

    /**
     * Stops a statement that may still run. Returns whether it has certainly ended and the connection works. Blocks for
     * the cancel timeout at most.
     */
    boolean stopStatement(
            FlightConnection connection,
            @Nullable ResultCursor cursor,
            @Nullable FlightInfo info,
            CancelBehavior cancel) {
        boolean ended = false;
        if (cursor != null) {
            try {
                ended = cancel == CancelBehavior.CANCEL && drain(cursor);
            } finally {
                cursor.close();
            }
        }
        if (ended) {
            return !connection.isLost();
        }
        if (cancel == CancelBehavior.DROP || connection.isLost()) {
            return false;
        }
        Deadline deadline = Deadline.in(config.cancelTimeout());
        counters.cancelAttempts.increment();
        boolean stopped = info != null && serverCancel.stop(connection, info, deadline);
        if (stopped) {
            counters.cancelsConfirmed.increment();
        }
        return (stopped || config.serialSessions())
                && healthCheck.works(connection, deadline.leftNanos(Long.MAX_VALUE));
    }

    /** Reads a result to its end if that is quick. */
    private boolean drain(ResultCursor cursor) {
        if (cursor.failure() != null) {
            return false;
        }
        Time.Timer timer = time.schedule(DRAIN_NANOS, cursor::abort);
        try {
            cursor.skipRest();
            return true;
        } catch (FlightSqlException cutShort) {
            return false;
        } finally {
            timer.cancel();
        }
    }
}
