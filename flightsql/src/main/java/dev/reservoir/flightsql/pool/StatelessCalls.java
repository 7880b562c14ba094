package dev.reservoir.flightsql.pool;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.NoConnectionException;
import dev.reservoir.core.Pooled;
import dev.reservoir.flightsql.CallTracer.Span;
import dev.reservoir.flightsql.CallTracer.Step;
import dev.reservoir.flightsql.CallTracer.Trace;
import dev.reservoir.flightsql.FlightSqlException;
import dev.reservoir.flightsql.FlightSqlException.Kind;
import dev.reservoir.flightsql.QueryOptions;
import dev.reservoir.flightsql.call.Deadline;
import dev.reservoir.flightsql.call.Request;
import dev.reservoir.flightsql.connect.FlightConnection;
import dev.reservoir.flightsql.sql.StatementKind;
import io.grpc.Context;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.arrow.flight.CallOption;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.jspecify.annotations.Nullable;

/**
 * Runs calls that need no session: each acquires a connection, and its last step gives the connection back.
 *
 * <p>A read whose connection is lost is sent once more, on another connection that has just passed a health check. What
 * may write is never sent again, because the server may have executed it.
 */
public final class StatelessCalls {
    private final RunningPool pool;

    public StatelessCalls(RunningPool pool) {
        this.pool = pool;
    }

    /** A call on an acquired connection. */
    @FunctionalInterface
    public interface Attempt<T> {
        T run(ConnectionOwner owner, Deadline deadline);
    }

    // The calls.

    /** A query. */
    public static Attempt<ResultCore> query(Request request) {
        return (owner, deadline) -> owner.query(request, null, deadline);
    }

    /** An update. */
    public static Attempt<Long> update(Request request) {
        return (owner, deadline) -> owner.update(request, null, deadline);
    }

    /** Any request that has a stream as its result. */
    public static Attempt<ResultCore> stream(InfoRequest request) {
        return (owner, deadline) ->
                owner.open((oneOff, options) -> request.send(owner.connection.client(), options), deadline);
    }

    /** Any request with one answer. */
    public static <T> Attempt<T> answer(AnswerRequest<T> request) {
        return (owner, deadline) -> owner.call(options -> request.send(owner.connection.client(), options), deadline);
    }

    /** A request of Arrow's client that returns a description of streams. */
    @FunctionalInterface
    public interface InfoRequest {
        FlightInfo send(FlightSqlClient client, CallOption... options);
    }

    /** A request of Arrow's client with one answer. */
    @FunctionalInterface
    public interface AnswerRequest<T> {
        T send(FlightSqlClient client, CallOption... options);
    }

    // On the caller's thread.

    /**
     * Runs the call. Blocks.
     *
     * @param operation the name of the call, for traces
     */
    public <T> T run(String operation, Attempt<T> attempt, StatementKind kind, QueryOptions options) {
        Deadline deadline = pool.deadline(options);
        Trace trace = pool.tracing().begin(operation);
        try {
            return attempt(pool.acquire(deadline, trace), attempt, kind, options, deadline);
        } catch (FlightSqlException failure) {
            if (!mayRetry(failure, kind, options, deadline)) {
                throw failure;
            }
            Held second = acquireWorking(deadline, failure, trace);
            pool.counters().retries.increment();
            try {
                return attempt(second, attempt, kind, options, deadline);
            } catch (RuntimeException again) {
                again.addSuppressed(failure);
                throw again;
            }
        }
    }

    /**
     * Acquires a connection that passes a health check, before the call's deadline. Drops those that do not, at most as
     * many as there may be. If there is none, the first failure tells the caller more.
     */
    private Held acquireWorking(Deadline deadline, FlightSqlException failure, Trace trace) {
        try {
            for (int i = 0; i <= pool.config().maxSize() && !deadline.hasPassed(); i++) {
                Held held = pool.acquire(deadline, trace);
                if (pool.cleanup().works(held.connection, deadline)) {
                    return held;
                }
                if (Thread.currentThread().isInterrupted()) {
                    // The interrupt ended the health check, which says nothing about the connection.
                    held.release();
                    throw failure;
                }
                held.discard();
            }
        } catch (NoConnectionException none) {
            failure.addSuppressed(none);
        }
        throw failure;
    }

    private static <T> T attempt(
            Held held, Attempt<T> attempt, StatementKind kind, QueryOptions options, Deadline deadline) {
        try {
            return attempt.run(held.prepareFor(options.cancel(), kind == StatementKind.SESSION), deadline);
        } catch (Error e) {
            // Nobody knows what state the connection is in. After an exception, the attempt has settled that.
            held.discard();
            throw e;
        }
    }

    private boolean mayRetry(FlightSqlException failure, StatementKind kind, QueryOptions options, Deadline deadline) {
        boolean wanted = options.retry() == null ? pool.config().retryOnFailure() : options.retry();
        return wanted && kind == StatementKind.READ && failure.kind() == Kind.CONNECTION_LOST && !deadline.hasPassed();
    }

    /** Acquires a connection for a session. Blocks. */
    public SessionCore session(String operation) {
        Trace trace = pool.tracing().begin(operation);
        return new SessionCore(pool.acquire(Deadline.in(pool.config().acquireTimeout()), trace));
    }

    /**
     * Does the same without blocking.
     *
     * @param handle makes the object that the application holds
     */
    public <T> CompletableFuture<T> sessionAsync(
            String operation, Function<SessionCore, T> handle, Consumer<? super T> undelivered) {
        Attempt<T> attempt = (owner, deadline) -> handle.apply(new SessionCore((Held) owner));
        Deadline deadline = Deadline.in(pool.config().acquireTimeout());
        return new AsyncCall<>(operation, attempt, StatementKind.WRITE, QueryOptions.defaults(), deadline, undelivered)
                .begin();
    }

    // On other threads.

    /**
     * Runs the call on a worker thread, once there is a connection. To cancel the future is to leave the wait queue, or
     * to cancel the call.
     *
     * @param undelivered takes an answer that arrived after the future was cancelled
     */
    public <T> CompletableFuture<T> runAsync(
            String operation,
            Attempt<T> attempt,
            StatementKind kind,
            QueryOptions options,
            Consumer<? super T> undelivered) {
        return new AsyncCall<>(operation, attempt, kind, options, pool.deadline(options), undelivered).begin();
    }

    /** One call, from its place in the wait queue to its answer. */
    private final class AsyncCall<T> {
        private final Attempt<T> attempt;
        private final StatementKind kind;
        private final QueryOptions options;
        private final Deadline deadline;
        private final Consumer<? super T> undelivered;
        private final CompletableFuture<T> result = new CompletableFuture<>();
        private final Context.CancellableContext context = Context.ROOT.withCancellation();
        private final Trace trace;
        private volatile @Nullable CompletableFuture<?> acquiring;
        private volatile @Nullable FlightSqlException firstFailure;

        AsyncCall(
                String operation,
                Attempt<T> attempt,
                StatementKind kind,
                QueryOptions options,
                Deadline deadline,
                Consumer<? super T> undelivered) {
            this.attempt = attempt;
            this.kind = kind;
            this.options = options;
            this.deadline = deadline;
            this.undelivered = undelivered;
            trace = pool.tracing().begin(operation);
        }

        CompletableFuture<T> begin() {
            CompletionStage<T> answered = result;
            answered.whenComplete((answer, error) -> {
                if (error instanceof CancellationException) {
                    CompletableFuture<?> waiting = acquiring;
                    if (waiting != null) {
                        waiting.cancel(false);
                    }
                    context.cancel(error);
                }
            });
            acquire();
            return result;
        }

        private void acquire() {
            Span span = trace.start(Step.ACQUIRE);
            CompletableFuture<Pooled<FlightConnection>> waiting = pool.acquireAsync(deadline);
            acquiring = waiting;
            CompletionStage<Pooled<FlightConnection>> acquired = waiting;
            acquired.whenComplete((pooled, error) -> {
                span.end(error);
                FlightSqlException first = firstFailure;
                if (error != null) {
                    if (first != null) {
                        first.addSuppressed(error);
                    }
                    fail(first == null ? error : first);
                } else if (pooled.connection().isLost()) {
                    pool.reservoir().discard(pooled, DiscardReason.BAD);
                    acquire();
                } else {
                    Held held = new Held(pool, pooled, trace);
                    pool.inBackground(() -> run(held), () -> {
                        held.release();
                        fail(new IllegalStateException(pool.name() + ": the pool is closed"));
                    });
                }
            });
            if (result.isDone()) {
                waiting.cancel(false);
            }
        }

        private void run(Held held) {
            if (result.isDone()) {
                held.release();
                return;
            }
            try {
                if (firstFailure != null && !pool.cleanup().works(held.connection, deadline)) {
                    held.discard();
                    fail(firstFailure);
                    return;
                }
                T answer = context.call(() -> attempt(held, attempt, kind, options, deadline));
                pool.inCallback(() -> {
                    if (!result.complete(answer)) {
                        undelivered.accept(answer);
                    }
                });
            } catch (FlightSqlException e) {
                if (firstFailure == null && mayRetry(e, kind, options, deadline) && !result.isDone()) {
                    firstFailure = e;
                    pool.counters().retries.increment();
                    acquire();
                } else {
                    fail(e);
                }
            } catch (Error e) {
                held.discard();
                fail(e);
            } catch (Throwable e) {
                // The attempt has settled the connection. The exception may be one of the application's mapper.
                fail(e);
            }
        }

        private void fail(Throwable error) {
            pool.inCallback(() -> result.completeExceptionally(error));
        }
    }
}
