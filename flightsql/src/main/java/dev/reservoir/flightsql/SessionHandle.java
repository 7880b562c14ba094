package dev.reservoir.flightsql;

import dev.reservoir.flightsql.call.Request;
import dev.reservoir.flightsql.pool.RunningPool;
import dev.reservoir.flightsql.pool.SessionCore;
import java.util.List;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/**
 * One connection for several statements: transactions, prepared statements, temporary tables, settings. Statements run
 * one after the other; a result must be read to its end or closed before the next one.
 *
 * <p>On {@link #close} an open transaction is rolled back. A connection on which something cannot be undone, such as a
 * temporary table or a setting, is dropped and not handed out again. If the connection is lost, the session is lost:
 * every further call fails with {@link FlightSqlException.Kind#SESSION_LOST}, and never continues on an empty session.
 */
public final class SessionHandle implements AutoCloseable {
    private final RunningPool pool;
    private final SessionCore core;

    SessionHandle(RunningPool pool, SessionCore core) {
        this.pool = pool;
        this.core = core;
        core.heldBy(this);
    }

    SessionCore core() {
        return core;
    }

    /** Executes a query. */
    public QueryResult query(String sql) {
        return query(sql, List.of(), QueryOptions.defaults());
    }

    public QueryResult query(String sql, QueryOptions options) {
        return query(sql, List.of(), options);
    }

    /** Executes a query with parameters as plain Java values. */
    public QueryResult query(String sql, List<? extends @Nullable Object> parameters, QueryOptions options) {
        Request request = Parameters.of(sql, parameters, pool.allocator());
        return new QueryResult(core.query(request, pool.deadline(options), options.cancel()), options, this);
    }

    /** Executes a statement without a result. */
    public UpdateResult update(String sql) {
        return update(sql, List.of(), QueryOptions.defaults());
    }

    public UpdateResult update(String sql, QueryOptions options) {
        return update(sql, List.of(), options);
    }

    /** Executes an update with parameters as plain Java values. */
    public UpdateResult update(String sql, List<? extends @Nullable Object> parameters, QueryOptions options) {
        Request request = Parameters.of(sql, parameters, pool.allocator());
        return new UpdateResult(core.update(request, pool.deadline(options), options.cancel()));
    }

    /** Executes an update once for each row of an Arrow batch, which stays the caller's. */
    public UpdateResult update(String sql, VectorSchemaRoot batch) {
        QueryOptions options = QueryOptions.defaults();
        return new UpdateResult(core.update(Parameters.of(sql, batch), pool.deadline(options), options.cancel()));
    }

    /** Prepares a statement, a query or an update, for several executions in this session. */
    public PreparedQuery prepareQuery(String sql) {
        return new PreparedQuery(pool, core, core.prepare(sql, pool.deadline(QueryOptions.defaults())), this);
    }

    /** Begins a transaction. Fails if the server has none, or if one is open. */
    public void beginTransaction() {
        core.begin(pool.deadline(QueryOptions.defaults()));
    }

    /** Commits the transaction. If that fails, the transaction is over, and its outcome may be unknown. */
    public void commit() {
        core.end(true, pool.deadline(QueryOptions.defaults()));
    }

    /** Rolls the transaction back. */
    public void rollback() {
        core.end(false, pool.deadline(QueryOptions.defaults()));
    }

    /** Whether a transaction is open. */
    public boolean isInTransaction() {
        return core.isInTransaction();
    }

    /** Rolls back what is open and gives the connection back. Does nothing the second time. */
    @Override
    public void close() {
        core.close();
    }
}
