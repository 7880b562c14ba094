package dev.reservoir.flightsql;

import dev.reservoir.flightsql.call.Deadline;
import dev.reservoir.flightsql.call.Request;
import dev.reservoir.flightsql.pool.RunningPool;
import dev.reservoir.flightsql.pool.SessionCore;
import java.util.Arrays;
import java.util.List;
import org.apache.arrow.flight.sql.FlightSqlClient.PreparedStatement;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/** A prepared statement of a session. It ends with {@link #close} or with its session. */
public final class PreparedQuery implements AutoCloseable {
    private final RunningPool pool;
    private final SessionCore core;
    private final PreparedStatement statement;

    /** Keeps the session reachable, since a session that is collected is closed. */
    private final SessionHandle session;

    PreparedQuery(RunningPool pool, SessionCore core, PreparedStatement statement, SessionHandle session) {
        this.pool = pool;
        this.core = core;
        this.statement = statement;
        this.session = session;
    }

    /** The session that prepared it. */
    public SessionHandle session() {
        return session;
    }

    /** The parameters, as far as the server describes them. */
    public Schema parameterSchema() {
        return statement.getParameterSchema();
    }

    /** Executes it as a query with these parameters. */
    public QueryResult query(@Nullable Object... parameters) {
        return query(Arrays.asList(parameters), QueryOptions.defaults());
    }

    public QueryResult query(List<? extends @Nullable Object> parameters, QueryOptions options) {
        Request request = Parameters.of("", parameters, pool.allocator());
        return new QueryResult(
                core.query(statement, request, pool.deadline(options), options.cancel()), options, session);
    }

    /** Executes it as an update with these parameters. */
    public UpdateResult update(@Nullable Object... parameters) {
        return update(Arrays.asList(parameters), QueryOptions.defaults());
    }

    public UpdateResult update(List<? extends @Nullable Object> parameters, QueryOptions options) {
        Request request = Parameters.of("", parameters, pool.allocator());
        return new UpdateResult(core.update(statement, request, pool.deadline(options), options.cancel()));
    }

    /** Executes it as an update for each row of an Arrow batch, which stays the caller's. */
    public UpdateResult update(VectorSchemaRoot batch) {
        QueryOptions options = QueryOptions.defaults();
        Request request = Parameters.of("", batch);
        return new UpdateResult(core.update(statement, request, pool.deadline(options), options.cancel()));
    }

    /** Closes it on the server. Does nothing if the session has ended. */
    @Override
    public void close() {
        core.close(statement, Deadline.in(pool.config().cancelTimeout()));
    }
}
