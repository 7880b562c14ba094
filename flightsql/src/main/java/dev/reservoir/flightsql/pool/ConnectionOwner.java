package dev.reservoir.flightsql.pool;

import dev.reservoir.flightsql.CallTracer.Span;
import dev.reservoir.flightsql.CallTracer.Step;
import dev.reservoir.flightsql.CallTracer.Trace;
import dev.reservoir.flightsql.FlightSqlException;
import dev.reservoir.flightsql.call.Deadline;
import dev.reservoir.flightsql.call.Request;
import dev.reservoir.flightsql.call.ResultCursor;
import dev.reservoir.flightsql.connect.FlightConnection;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.apache.arrow.flight.CallOption;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.sql.FlightSqlClient.PreparedStatement;
import org.apache.arrow.flight.sql.FlightSqlClient.Transaction;
import org.jspecify.annotations.Nullable;

/**
 * Holds a connection for one call or for a session, and decides what becomes of it after each statement. Every path of
 * a statement ends in exactly one of {@link #succeeded}, {@link #failed} and {@link #finished}.
 */
public abstract class ConnectionOwner {
    final RunningPool pool;
    final FlightConnection connection;

    ConnectionOwner(RunningPool pool, FlightConnection connection) {
        this.pool = pool;
        this.connection = connection;
    }

    /**
     * A call without a result that stays open has succeeded.
     *
     * @param oneOff the statement that was prepared for this call, or null
     */
    abstract void succeeded(@Nullable PreparedStatement oneOff, Deadline deadline);

    /**
     * A call failed.
     *
     * @param info that of the statement, if the server gave one, so that it can be stopped
     * @param oneOff the statement that was prepared for this call, or null
     */
    abstract void failed(FlightSqlException failure, @Nullable FlightInfo info, @Nullable PreparedStatement oneOff);

    /** Follows the statement that runs now. */
    abstract Trace trace();

    /** A result was read to its end, was closed, or failed while it was read. */
    abstract void finished(ResultCore result);

    /** Executes a query. Blocks until its first batch is there. */
    final ResultCore query(Request request, @Nullable Transaction transaction, Deadline deadline) {
        return open(
                (oneOff, options) -> request.query(connection, transaction, pool.allocator(), oneOff, options),
                deadline);
    }

    /** Executes a request whose result is a stream. Blocks until its first batch is there. */
    final ResultCore open(StreamCommand command, Deadline deadline) {
        AtomicReference<@Nullable PreparedStatement> oneOff = new AtomicReference<>();
        Span span = trace().start(Step.CALL);
        try {
            ResultCursor cursor = ResultCursor.open(
                    pool.name(),
                    connection,
                    options -> command.execute(oneOff::set, options),
                    deadline,
                    (failure, info) -> {
                        span.end(failure);
                        failed(failure, info, oneOff.get());
                    });
            return new ResultCore(cursor, oneOff.get(), this, span);
        } catch (Error e) {
            span.end(e);
            throw e;
        }
    }

    /** Executes an update. Blocks. */
    final long update(Request request, @Nullable Transaction transaction, Deadline deadline) {
        AtomicReference<@Nullable PreparedStatement> oneOff = new AtomicReference<>();
        return call(
                options -> request.update(connection, transaction, pool.allocator(), oneOff::set, options),
                oneOff,
                deadline);
    }

    /** Executes a request whose answer is complete when it arrives. Blocks. */
    final <T> T call(SimpleCommand<T> command, Deadline deadline) {
        return call(command, new AtomicReference<>(), deadline);
    }

    private <T> T call(
            SimpleCommand<T> command, AtomicReference<@Nullable PreparedStatement> oneOff, Deadline deadline) {
        T answer;
        Span span = trace().start(Step.CALL);
        try {
            answer = command.execute(deadline.options());
        } catch (RuntimeException e) {
            FlightSqlException failure = pool.judge(e, connection, deadline);
            span.end(failure);
            failed(failure, null, oneOff.get());
            throw failure;
        } catch (Error e) {
            span.end(e);
            throw e;
        }
        span.end(null);
        succeeded(oneOff.get(), deadline);
        return answer;
    }

    /** A request that begins an execution. It passes on the statement that it prepares for that, if any. */
    @FunctionalInterface
    interface StreamCommand {
        FlightInfo execute(Consumer<PreparedStatement> oneOff, CallOption... options);
    }

    /** A request with one answer. */
    @FunctionalInterface
    interface SimpleCommand<T> {
        T execute(CallOption... options);
    }
}
