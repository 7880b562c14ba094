package dev.reservoir.flightsql;

import dev.reservoir.flightsql.pool.RunningPool;
import dev.reservoir.flightsql.pool.TaskQueue;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A session whose methods never block. Calls run one after the other, in the order in which they were made. The rules
 * of {@link SessionHandle} hold. The timeout of a call begins when it is its turn.
 *
 * <p>To cancel a future is to cancel its call: it leaves the queue, or its statement is stopped as after a timeout. The
 * session goes on if the server confirms the stop. To cancel {@link #closeAsync} does not keep the session open.
 */
public final class AsyncSessionHandle implements AutoCloseable {
    private final SessionHandle session;
    private final TaskQueue tasks;

    AsyncSessionHandle(RunningPool pool, SessionHandle session) {
        this.session = session;
        tasks = new TaskQueue(pool);
    }

    /** Executes a query. The result must be read to its end or closed before the next call. */
    public CompletableFuture<QueryResult> query(String sql) {
        return query(sql, List.of(), QueryOptions.defaults());
    }

    public CompletableFuture<QueryResult> query(
            String sql, List<? extends @Nullable Object> parameters, QueryOptions options) {
        return tasks.submit(() -> session.query(sql, parameters, options), QueryResult::close);
    }

    /** Executes a query and reads all its rows. */
    public <T> CompletableFuture<List<T>> queryList(String sql, Function<? super Row, ? extends T> mapper) {
        return tasks.submit(() -> session.query(sql).list(mapper), rows -> {});
    }

    /** Executes a statement without a result. */
    public CompletableFuture<UpdateResult> update(String sql) {
        return update(sql, List.of(), QueryOptions.defaults());
    }

    public CompletableFuture<UpdateResult> update(
            String sql, List<? extends @Nullable Object> parameters, QueryOptions options) {
        return tasks.submit(() -> session.update(sql, parameters, options), answer -> {});
    }

    /** Begins a transaction. */
    public CompletableFuture<Void> beginTransaction() {
        return run(session::beginTransaction);
    }

    /** Commits the transaction. */
    public CompletableFuture<Void> commit() {
        return run(session::commit);
    }

    /** Rolls the transaction back. */
    public CompletableFuture<Void> rollback() {
        return run(session::rollback);
    }

    /** Rolls back what is open and gives the connection back, after the calls made before. */
    public CompletableFuture<Void> closeAsync() {
        return run(session::close).copy();
    }

    /** Does the same as {@link #closeAsync}, without telling when it is done. Does not block. */
    @Override
    public void close() {
        CompletionStage<Void> unused = closeAsync();
    }

    void closeNow() {
        session.close();
    }

    /** Returns the future of the call itself, since one that depends on it would not cancel the call. */
    private CompletableFuture<Void> run(Runnable action) {
        return tasks.submit(
                () -> {
                    action.run();
                    return null;
                },
                done -> {});
    }
}
