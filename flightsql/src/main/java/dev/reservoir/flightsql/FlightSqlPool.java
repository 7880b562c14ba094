package dev.reservoir.flightsql;

import dev.reservoir.core.Stats;
import dev.reservoir.flightsql.call.Request;
import dev.reservoir.flightsql.connect.Endpoint;
import dev.reservoir.flightsql.pool.RunningPool;
import dev.reservoir.flightsql.pool.StatelessCalls;
import dev.reservoir.flightsql.sql.StatementKind;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/**
 * A pool of Flight SQL connections. A server that ties a session to its connection runs the statements of one
 * connection one after the other; with a pool they run side by side.
 *
 * <p>{@link #query}, {@link #execute} and {@link #update} are for statements that need nothing from a statement before.
 * Each may run on another connection. For transactions, prepared statements, temporary tables and settings,
 * {@link #acquireSession} keeps one connection. All methods block, except those of {@link #async}.
 *
 * <p>A call without a free connection waits until {@code acquireTimeout} and then fails with
 * {@link dev.reservoir.core.NoConnectionException}, which names the limit that was reached. A call that fails on its
 * connection throws {@link FlightSqlException}.
 */
public final class FlightSqlPool implements AutoCloseable {
    /** Bounds how long close waits after its drain timeout. */
    private static final Duration CLOSE_PATIENCE = Duration.ofMinutes(1);

    private final RunningPool pool;
    private final StatelessCalls calls;

    /**
     * Starts a pool, which begins to open {@code minIdle} connections in the background. Does not block.
     *
     * @param endpoint the server, such as {@code grpc://localhost:4214} or {@code grpc+tls://host:443}
     */
    public FlightSqlPool(String endpoint, PoolConfig config) {
        pool = RunningPool.start(Endpoint.parse(endpoint), config);
        calls = new StatelessCalls(pool);
    }

    /** Starts a pool with the defaults of {@link PoolConfig}. */
    public static FlightSqlPool withDefaults(String endpoint) {
        return new FlightSqlPool(endpoint, PoolConfig.defaults());
    }

    // Queries.

    /** Executes a query. A statement that only reads is sent once more if its connection is lost. */
    public QueryResult query(String sql) {
        return query(sql, QueryOptions.defaults());
    }

    public QueryResult query(String sql, QueryOptions options) {
        return query("query", Request.of(sql), options);
    }

    /** Executes a query with parameters as plain Java values. */
    public QueryResult query(String sql, List<? extends @Nullable Object> parameters) {
        return query(sql, parameters, QueryOptions.defaults());
    }

    public QueryResult query(String sql, List<? extends @Nullable Object> parameters, QueryOptions options) {
        return query("query", Parameters.of(sql, parameters, pool.allocator()), options);
    }

    /** Executes a query with parameters as an Arrow batch, which stays the caller's. */
    public QueryResult query(String sql, VectorSchemaRoot parameters) {
        return query(sql, parameters, QueryOptions.defaults());
    }

    public QueryResult query(String sql, VectorSchemaRoot parameters, QueryOptions options) {
        return query("query", Parameters.of(sql, parameters), options);
    }

    private QueryResult query(String operation, Request request, QueryOptions options) {
        StatementKind kind = StatementKind.of(request.sql());
        return new QueryResult(calls.run(operation, StatelessCalls.query(request), kind, options), options);
    }

    /** Executes any statement and returns its result. It is never sent twice, whatever it does. */
    public QueryResult execute(String sql) {
        return execute(sql, QueryOptions.defaults());
    }

    public QueryResult execute(String sql, QueryOptions options) {
        return query("execute", Request.of(sql), options.withRetry(false));
    }

    // Updates.

    /** Executes a statement without a result. It is never sent twice. */
    public UpdateResult update(String sql) {
        return update(sql, QueryOptions.defaults());
    }

    public UpdateResult update(String sql, QueryOptions options) {
        return update(Request.of(sql), options);
    }

    /** Executes an update with parameters as plain Java values. */
    public UpdateResult update(String sql, List<? extends @Nullable Object> parameters) {
        return update(sql, parameters, QueryOptions.defaults());
    }

    public UpdateResult update(String sql, List<? extends @Nullable Object> parameters, QueryOptions options) {
        return update(Parameters.of(sql, parameters, pool.allocator()), options);
    }

    /** Executes an update once for each row of an Arrow batch, which stays the caller's. */
    public UpdateResult update(String sql, VectorSchemaRoot batch) {
        return update(sql, batch, QueryOptions.defaults());
    }

    public UpdateResult update(String sql, VectorSchemaRoot batch, QueryOptions options) {
        return update(Parameters.of(sql, batch), options);
    }

    private UpdateResult update(Request request, QueryOptions options) {
        StatementKind kind = StatementKind.of(request.sql());
        return new UpdateResult(calls.run("update", StatelessCalls.update(request), kind, options.withRetry(false)));
    }

    // Sessions.

    /** Acquires a connection that stays the same until the session is closed. */
    public SessionHandle acquireSession() {
        return new SessionHandle(pool, calls.session("acquireSession"));
    }

    /** Acquires a connection with Arrow's own client. */
    public PooledConnection acquire() {
        return new PooledConnection(calls.session("acquire"));
    }

    /** The same pool without blocking. */
    public AsyncFlightSqlPool async() {
        return new AsyncFlightSqlPool(this);
    }

    /** Catalog metadata, bulk ingest and Substrait plans, on connections of this pool. */
    public FlightSqlExtras extras() {
        return new FlightSqlExtras(pool, calls);
    }

    RunningPool pool() {
        return pool;
    }

    StatelessCalls calls() {
        return calls;
    }

    // Management.

    /** The name of the pool. */
    public String name() {
        return pool.name();
    }

    /** The settings of the pool. */
    public PoolConfig config() {
        return pool.config();
    }

    /** The engine's numbers at one instant. */
    public Stats stats() {
        return pool.reservoir().stats();
    }

    /** The pool's metrics at one instant. */
    public PoolMetrics metrics() {
        return PoolMetrics.of(pool);
    }

    /** Blocks until this many connections are open. Returns false if that takes longer than the timeout. */
    public boolean awaitReady(int count, Duration timeout) throws InterruptedException {
        return pool.reservoir().awaitReady(count, timeout);
    }

    /** Ends all connections at once. Blocks until nothing is left. */
    @Override
    public void close() {
        close(Duration.ZERO);
    }

    /** Waits until the timeout for connections in use, then ends the rest. Blocks until nothing is left. */
    public void close(Duration drain) {
        CompletableFuture<Void> ended = closeAsync(drain);
        try {
            ended.get(drain.plus(CLOSE_PATIENCE).toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException | ExecutionException e) {
            throw new IllegalStateException(pool.name() + ": the pool does not close", e);
        }
    }

    /** Does the same without blocking. */
    public CompletableFuture<Void> closeAsync(Duration drain) {
        return pool.closeAsync(drain);
    }

    @Override
    public String toString() {
        return "FlightSqlPool[" + pool.name() + "]";
    }
}
