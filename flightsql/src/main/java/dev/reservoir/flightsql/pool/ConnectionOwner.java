package dev.reservoir.flightsql.pool;

import dev.reservoir.flightsql.FlightSqlException;
import dev.reservoir.flightsql.call.Deadline;
import dev.reservoir.flightsql.call.Request;
import dev.reservoir.flightsql.call.ResultCursor;
import dev.reservoir.flightsql.connect.FlightConnection;
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

    /** A call without a result that stays open has succeeded. */
    abstract void succeeded();

    /** A call failed. The info is that of the statement, if the server gave one, so that it can be stopped. */
    abstract void failed(FlightSqlException failure, @Nullable FlightInfo info);

    /** A result was read to its end, was closed, or failed while it was read. */
    abstract void finished(ResultCore result);

    /** Executes a query. Blocks until its first batch is there. */
    final ResultCore query(Request request, @Nullable Transaction transaction, Deadline deadline) {
        return open(options -> request.query(connection, transaction, pool.allocator(), options), deadline);
    }

    /** Executes a request whose result is a stream. Blocks until its first batch is there. */
    final ResultCore open(StartedCommand command, Deadline deadline) {
        PreparedStatement[] prepared = {null};
        ResultCursor cursor = ResultCursor.open(
                pool.name(),
                connection,
                options -> {
                    Request.Started started = command.execute(options);
                    prepared[0] = started.prepared();
                    return started.info();
                },
                deadline,
                this::failed);
        return new ResultCore(cursor, prepared[0], this);
    }

    /** Executes a request whose answer is complete when it arrives. Blocks. */
    final <T> T call(SimpleCommand<T> command, Deadline deadline) {
        T answer;
        try {
            answer = command.execute(deadline.options());
        } catch (RuntimeException e) {
            FlightSqlException failure = pool.judge(e, connection, deadline);
            failed(failure, null);
            throw failure;
        }
        succeeded();
        return answer;
    }

    /** A request that begins an execution. */
    @FunctionalInterface
    interface StartedCommand {
        Request.Started execute(CallOption... options);
    }

    /** A request with one answer. */
    @FunctionalInterface
    interface SimpleCommand<T> {
        T execute(CallOption... options);
    }
}
