package dev.reservoir.remote.adapter.jdbc;

import dev.reservoir.core.util.Text;
import dev.reservoir.remote.adapter.RemoteFailure;
import dev.reservoir.remote.adapter.SessionObserver;
import dev.reservoir.remote.adapter.SessionStats;
import dev.reservoir.remote.adapter.TransactionState;
import dev.reservoir.remote.model.ConnectionState;
import dev.reservoir.remote.model.RemoteErrorCode;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.ServerDefinition;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Makes the calls of one session to its driver: keeps the state, counts, ends a statement whose time is over, and turns
 * errors into those of the registry.
 *
 * <p>The states: CONNECTED or IN_TRANSACTION between calls, EXECUTING or FETCHING during a call, FAILED after an error
 * that killed the connection, CLOSING and DISCONNECTED at the end. The thread that makes the call moves them, except
 * for the last three, which any thread may set and no call takes back.
 */
final class SessionCalls {
    /** A call to the driver. */
    @FunctionalInterface
    interface Call<T extends @Nullable Object> {
        T run() throws SQLException;
    }

    /** A call to the driver without a result. */
    @FunctionalInterface
    interface Action {
        void run() throws SQLException;
    }

    private final JdbcAdapter adapter;
    private final DriverProfile profile;
    private final Connection connection;
    private final String server;
    private final Executor cancels;
    private final PasswordMask mask;
    private final boolean countsQueries;
    private final SessionObserver observer;
    private final Object stateLock = new Object();

    /** Written under {@link #stateLock}. */
    private volatile ConnectionState state = ConnectionState.CONNECTED;

    private volatile Duration queryTimeout;
    private volatile @Nullable RunningStatement running;

    /** Whether an open cursor has a transaction of its own. For the thread that uses the session. */
    private boolean servesCursorOnly;

    private final AtomicLong queries = new AtomicLong();
    private final AtomicLong errors = new AtomicLong();
    private final AtomicLong rows = new AtomicLong();
    private final AtomicLong queryNanos = new AtomicLong();

    SessionCalls(
            JdbcAdapter adapter,
            DriverProfile profile,
            Connection connection,
            ServerDefinition server,
            PasswordMask mask,
            SessionObserver observer) {
        this.observer = observer;
        this.adapter = adapter;
        this.profile = profile;
        this.connection = connection;
        this.server = server.name();
        cancels = StatementTimer.SHARED.cancelsOf(server);
        this.mask = mask;
        countsQueries = server.pool().collectQueryStats();
        queryTimeout = server.pool().queryTimeout();
    }

    Connection connection() {
        return connection;
    }

    DriverProfile profile() {
        return profile;
    }

    ConnectionState state() {
        return state;
    }

    SessionStats stats() {
        return new SessionStats(queries.get(), errors.get(), rows.get(), queryNanos.get());
    }

    void countRows(long more) {
        rows.addAndGet(more);
    }

    void setQueryTimeout(Duration timeout) {
        queryTimeout = timeout;
    }

    Duration queryTimeout() {
        return queryTimeout;
    }

    /** Makes a call that is no statement of the user and has no result. */
    void run(Action action) throws RemoteException {
        enter(ConnectionState.EXECUTING);
        try {
            action.run();
        } catch (SQLException e) {
            throw failed(e, null);
        } catch (RuntimeException e) {
            throw brokenDriver(e);
        } finally {
            settle();
        }
    }

    /** Makes a call that is no statement of the user. */
    <T extends @Nullable Object> T call(Call<T> call) throws RemoteException {
        enter(ConnectionState.EXECUTING);
        try {
            return call.run();
        } catch (SQLException e) {
            throw failed(e, null);
        } catch (RuntimeException e) {
            throw brokenDriver(e);
        } finally {
            settle();
        }
    }

    /** Says whether an open cursor has a transaction of its own. While it has, {@link #execute} refuses statements. */
    void servesCursorOnly(boolean value) {
        servesCursorOnly = value;
    }

    /**
     * Executes a statement of the user, with its timeout.
     *
     * @throws RemoteException RD015 while a cursor has a transaction of its own. The statement would become part of it,
     *     and a release without a close of the cursor would roll it back.
     */
    <T extends @Nullable Object> T execute(Statement statement, Call<T> call) throws RemoteException {
        if (servesCursorOnly) {
            throw new RemoteException(
                    RemoteErrorCode.CURSOR_ERROR,
                    server + ": a cursor is open outside a transaction, so no other statement can be executed; close"
                            + " the cursor first, or begin a transaction before you open it");
        }
        if (!countsQueries) {
            return timed(ConnectionState.EXECUTING, statement, call);
        }
        queries.incrementAndGet();
        long began = System.nanoTime();
        try {
            return timed(ConnectionState.EXECUTING, statement, call);
        } finally {
            long took = System.nanoTime() - began;
            queryNanos.addAndGet(took);
            observer.executed(took);
        }
    }

    /** Reads rows of a cursor, with the timeout of a statement. */
    <T extends @Nullable Object> T fetch(Statement statement, Call<T> call) throws RemoteException {
        return timed(ConnectionState.FETCHING, statement, call);
    }

    private <T extends @Nullable Object> T timed(ConnectionState during, Statement statement, Call<T> call)
            throws RemoteException {
        enter(during);
        RunningStatement now = new RunningStatement(statement);
        running = now;
        Future<?> timeout = StatementTimer.SHARED.start(now, queryTimeout, cancels);
        try {
            T result = call.run();
            end(now, timeout, false);
            return result;
        } catch (SQLException e) {
            throw failed(e, end(now, timeout, adapter.classify(e).fatal()));
        } catch (RuntimeException e) {
            end(now, timeout, false);
            throw brokenDriver(e);
        } finally {
            settle();
        }
    }

    private RunningStatement.@Nullable Reason end(RunningStatement now, @Nullable Future<?> timeout, boolean isDead) {
        if (timeout != null) {
            timeout.cancel(false);
        }
        running = null;
        return isDead ? now.endOfConnection() : now.end();
    }

    /** Cancels the running statement. Any thread may call it. */
    boolean cancel() throws RemoteException {
        RunningStatement now = running;
        try {
            return now != null && now.cancel(RunningStatement.Reason.CALLER);
        } catch (SQLException e) {
            throw new RemoteException(
                    RemoteErrorCode.NETWORK_ERROR,
                    server + ": cannot cancel the statement: " + words(e),
                    mask.clean(e));
        }
    }

    private void enter(ConnectionState during) throws RemoteException {
        synchronized (stateLock) {
            if (!state.isOpen()) {
                throw new RemoteException(
                        RemoteErrorCode.NETWORK_ERROR,
                        server + ": the connection is " + (state == ConnectionState.FAILED ? "broken" : "closed"));
            }
            state = during;
        }
    }

    private void settle() {
        ConnectionState after;
        try {
            after = transactionState() == TransactionState.NONE
                    ? ConnectionState.CONNECTED
                    : ConnectionState.IN_TRANSACTION;
        } catch (SQLException | RuntimeException e) {
            after = ConnectionState.FAILED;
        }
        move(after);
    }

    /** What the driver knows. Does not ask the server. */
    TransactionState transactionState() throws SQLException {
        boolean manual = !connection.getAutoCommit();
        TransactionState known = profile.transactionState(connection);
        if (known == null || (known == TransactionState.NONE && manual)) {
            return manual ? TransactionState.ACTIVE : TransactionState.NONE;
        }
        return known;
    }

    /** Moves to a state, unless the session has failed or is closed. */
    void move(ConnectionState next) {
        synchronized (stateLock) {
            boolean over = state == ConnectionState.CLOSING || state == ConnectionState.DISCONNECTED;
            if (state.isOpen() || (over && next == ConnectionState.DISCONNECTED) || next == ConnectionState.CLOSING) {
                state = next;
            }
        }
    }

    /** Classifies an error and keeps in mind whether it killed the connection. */
    RemoteFailure report(SQLException error) {
        RemoteFailure failure = adapter.classify(error);
        if (failure.fatal()) {
            move(ConnectionState.FAILED);
        }
        return failure;
    }

    private RemoteException failed(SQLException error, RunningStatement.@Nullable Reason cancelled) {
        errors.incrementAndGet();
        RemoteFailure failure = report(error);
        if (error instanceof RemoteException ours) {
            return ours;
        }
        if (!failure.fatal()) {
            lookAround();
        }
        SQLException cause = mask.clean(error);
        if (cancelled == RunningStatement.Reason.TIMEOUT && failure.code() != RemoteErrorCode.NETWORK_ERROR) {
            return new RemoteException(
                    RemoteErrorCode.TIMEOUT,
                    server + ": the statement took longer than query_timeout (" + Text.nanos(queryTimeout.toNanos())
                            + ") and was cancelled",
                    cause,
                    failure.retryable() && failure.code() != RemoteErrorCode.TIMEOUT);
        }
        if (cancelled == RunningStatement.Reason.CALLER && !failure.fatal()) {
            return new RemoteException(
                    RemoteErrorCode.TIMEOUT, server + ": the statement was cancelled by a caller", cause, false);
        }
        return new RemoteException(failure.code(), server + ": " + words(error), cause, failure.retryable());
    }

    private void lookAround() {
        try {
            profile.afterError(connection);
        } catch (SQLException e) {
            report(e);
        }
    }

    private String words(SQLException error) {
        return mask.mask(Text.words(error));
    }

    private RemoteException brokenDriver(RuntimeException error) {
        errors.incrementAndGet();
        return new RemoteException(
                RemoteErrorCode.PROTOCOL_ERROR,
                server + ": the driver failed: " + mask.mask(Text.shortLine(error.toString())),
                mask.clean(new SQLException(Text.oneLine(error), "HY000", error)));
    }
}
