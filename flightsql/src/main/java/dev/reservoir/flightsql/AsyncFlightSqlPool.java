package dev.reservoir.flightsql;

import dev.reservoir.flightsql.call.Request;
import dev.reservoir.flightsql.pool.RunningPool;
import dev.reservoir.flightsql.pool.StatelessCalls;
import dev.reservoir.flightsql.sql.StatementKind;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/**
 * A pool whose methods never block. A call waits in the pool's queue without a thread. Once it has a connection it runs
 * on a worker thread, so there are never more threads than connections, however many calls wait.
 *
 * <p>To cancel a future is to cancel its call: it leaves the queue, or its statement is stopped, and no connection is
 * lost. Reading a {@link QueryResult} row by row blocks; use {@link #queryList} or {@link QueryResult#publisher} where
 * that is not wanted.
 */
public final class AsyncFlightSqlPool implements AutoCloseable {
    private final FlightSqlPool blocking;
    private final RunningPool pool;
    private final StatelessCalls calls;

    AsyncFlightSqlPool(FlightSqlPool blocking) {
        this.blocking = blocking;
        pool = blocking.pool();
        calls = blocking.calls();
    }

    /** Starts a pool of its own. */
    public AsyncFlightSqlPool(String endpoint, PoolConfig config) {
        this(new FlightSqlPool(endpoint, config));
    }

    /** Starts a pool with the defaults of {@link PoolConfig}. */
    public static AsyncFlightSqlPool withDefaults(String endpoint) {
        return FlightSqlPool.withDefaults(endpoint).async();
    }

    /** The same pool with methods that block. */
    public FlightSqlPool blocking() {
        return blocking;
    }

    // Queries.

    /** Executes a query. A statement that only reads is sent once more if its connection is lost. */
    public CompletableFuture<QueryResult> query(String sql) {
        return query(sql, QueryOptions.defaults());
    }

    public CompletableFuture<QueryResult> query(String sql, QueryOptions options) {
        return query("query", Request.of(sql), options);
    }

    /** Executes a query with parameters as plain Java values. */
    public CompletableFuture<QueryResult> query(
            String sql, List<? extends @Nullable Object> parameters, QueryOptions options) {
        return query("query", Parameters.of(sql, parameters, pool.allocator()), options);
    }

    /** Executes a query with parameters as an Arrow batch. The caller closes it when the future is complete. */
    public CompletableFuture<QueryResult> query(String sql, VectorSchemaRoot parameters, QueryOptions options) {
        return query("query", Parameters.of(sql, parameters), options);
    }

    private CompletableFuture<QueryResult> query(String operation, Request request, QueryOptions options) {
        StatelessCalls.Attempt<QueryResult> attempt = (owner, deadline) ->
                new QueryResult(StatelessCalls.query(request).run(owner, deadline), options);
        return calls.runAsync(operation, attempt, StatementKind.of(request.sql()), options, QueryResult::close);
    }

    /** Executes a query and reads all its rows, without blocking the caller. */
    public <T> CompletableFuture<List<T>> queryList(
            String sql,
            List<? extends @Nullable Object> parameters,
            QueryOptions options,
            Function<? super Row, ? extends T> mapper) {
        Request request = Parameters.of(sql, parameters, pool.allocator());
        StatelessCalls.Attempt<List<T>> attempt = (owner, deadline) -> {
            QueryResult result = new QueryResult(StatelessCalls.query(request).run(owner, deadline), options);
            return result.list(mapper);
        };
        return calls.runAsync("query", attempt, StatementKind.of(sql), options, rows -> {});
    }

    /** Executes any statement and returns its result. It is never sent twice, whatever it does. */
    public CompletableFuture<QueryResult> execute(String sql) {
        return query("execute", Request.of(sql), QueryOptions.defaults().withRetry(false));
    }

    // Updates.

    /** Executes a statement without a result. It is never sent twice. */
    public CompletableFuture<UpdateResult> update(String sql) {
        return update(sql, QueryOptions.defaults());
    }

    public CompletableFuture<UpdateResult> update(String sql, QueryOptions options) {
        return update(Request.of(sql), options);
    }

    /** Executes an update with parameters as plain Java values. */
    public CompletableFuture<UpdateResult> update(
            String sql, List<? extends @Nullable Object> parameters, QueryOptions options) {
        return update(Parameters.of(sql, parameters, pool.allocator()), options);
    }

    /** Executes an update for each row of an Arrow batch. The caller closes it when the future is complete. */
    public CompletableFuture<UpdateResult> update(String sql, VectorSchemaRoot batch, QueryOptions options) {
        return update(Parameters.of(sql, batch), options);
    }

    private CompletableFuture<UpdateResult> update(Request request, QueryOptions options) {
        StatelessCalls.Attempt<UpdateResult> attempt = (owner, deadline) ->
                new UpdateResult(StatelessCalls.update(request).run(owner, deadline));
        return calls.runAsync(
                "update", attempt, StatementKind.of(request.sql()), options.withRetry(false), answer -> {});
    }

    // Sessions.

    /** Acquires a connection that stays the same until the session is closed. */
    public CompletableFuture<AsyncSessionHandle> acquireSession() {
        return calls.sessionAsync(
                "acquireSession",
                core -> new AsyncSessionHandle(pool, new SessionHandle(pool, core)),
                AsyncSessionHandle::closeNow);
    }

    /** Ends all connections. Blocks; {@link #closeAsync} does not. */
    @Override
    public void close() {
        blocking.close();
    }

    /** Waits until the timeout for connections in use, then ends the rest. */
    public CompletableFuture<Void> closeAsync(Duration drain) {
        return blocking.closeAsync(drain);
    }
}
