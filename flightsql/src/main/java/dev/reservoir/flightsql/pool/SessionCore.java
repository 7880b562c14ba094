package dev.reservoir.flightsql.pool;

import dev.reservoir.flightsql.CallTracer.Trace;
import dev.reservoir.flightsql.CancelBehavior;
import dev.reservoir.flightsql.FlightSqlException;
import dev.reservoir.flightsql.FlightSqlException.Kind;
import dev.reservoir.flightsql.call.Deadline;
import dev.reservoir.flightsql.call.Failures;
import dev.reservoir.flightsql.call.Interrupts;
import dev.reservoir.flightsql.call.Request;
import dev.reservoir.flightsql.sql.StatementKind;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.apache.arrow.flight.sql.FlightSqlClient.PreparedStatement;
import org.apache.arrow.flight.sql.FlightSqlClient.Transaction;
import org.jspecify.annotations.Nullable;

/**
 * A session without the object that the application holds: one connection, its transaction, its prepared statements and
 * its open result.
 *
 * <p>The session ends for good when its connection is lost, or when a statement may still run on it: everything on the
 * server that makes it a session is then gone or unreachable. It never continues on another connection.
 */
public final class SessionCore extends ConnectionOwner implements OpenHandles.Core {
    private final Held held;

    /** Held during a statement, since a session runs one at a time. */
    private final ReentrantLock lock = new ReentrantLock();

    private final List<PreparedStatement> prepared = new ArrayList<>();
    private @Nullable Transaction transaction;
    private volatile @Nullable ResultCore openResult;
    private boolean leavesState;
    private boolean closed;
    private volatile Trace trace = Trace.NONE;
    private volatile CancelBehavior cancel = CancelBehavior.CANCEL;

    /** Why the session cannot be used any more although its connection may be there. */
    private volatile @Nullable String whyEnded;

    SessionCore(Held held) {
        super(held.pool, held.connection);
        this.held = held;
    }

    @Override
    Trace trace() {
        return trace;
    }

    /** Runs one statement or action of the session. */
    private <T> T run(String operation, Work<T> work) {
        lock.lock();
        try {
            checkUsable();
            trace = pool.tracing().begin(operation);
            return work.run();
        } catch (Error e) {
            end(false, "an error left it in an unknown state");
            throw e;
        } finally {
            lock.unlock();
        }
    }

    private void checkUsable() {
        if (closed) {
            throw new IllegalStateException(pool.name() + ": the session is closed");
        }
        String why = whyEnded != null ? whyEnded : connection.whyLost();
        if (why != null) {
            throw new FlightSqlException(
                    Kind.SESSION_LOST,
                    null,
                    pool.name() + ": the session is gone: " + why
                            + ". Its transaction, prepared statements and temporary"
                            + " tables are lost. Close it and acquire another session.",
                    null);
        }
        if (openResult != null) {
            throw new IllegalStateException(
                    pool.name() + ": the session has an open result; read it to its end or close it first");
        }
    }

    private void note(String sql) {
        leavesState |= StatementKind.of(sql) == StatementKind.SESSION;
    }

    /** Executes a query. Blocks. */
    public ResultCore query(Request request, Deadline deadline, CancelBehavior behavior) {
        return run("query", () -> {
            note(request.sql());
            cancel = behavior;
            return opened(query(request, transaction, deadline));
        });
    }

    private ResultCore opened(ResultCore result) {
        openResult = result;
        return result;
    }

    /** Executes an update. Blocks. */
    public long update(Request request, Deadline deadline, CancelBehavior behavior) {
        return run("update", () -> {
            note(request.sql());
            cancel = behavior;
            return update(request, transaction, deadline);
        });
    }

    // Prepared statements.

    /** Prepares a statement, which lives until it is closed or the session ends. Blocks. */
    public PreparedStatement prepare(String sql, Deadline deadline) {
        return run("prepare", () -> {
            note(sql);
            PreparedStatement statement =
                    call(options -> connection.client().prepare(sql, transaction, options), deadline);
            prepared.add(statement);
            return statement;
        });
    }

    /** Executes a prepared statement as a query. Blocks. */
    public ResultCore query(
            PreparedStatement statement, Request parameters, Deadline deadline, CancelBehavior behavior) {
        return run("query", () -> {
            cancel = behavior;
            return opened(open(
                    (oneOff, options) ->
                            parameters.bound(statement, pool.allocator(), () -> statement.execute(options)),
                    deadline));
        });
    }

    /** Executes a prepared statement as an update. Blocks. */
    public long update(PreparedStatement statement, Request parameters, Deadline deadline, CancelBehavior behavior) {
        return run("update", () -> {
            cancel = behavior;
            return call(
                    options -> parameters.bound(statement, pool.allocator(), () -> statement.executeUpdate(options)),
                    deadline);
        });
    }

    /** Closes a prepared statement. Does nothing if the session has ended. Blocks. */
    public void close(PreparedStatement statement, Deadline deadline) {
        lock.lock();
        try {
            if (!prepared.remove(statement) || closed || whyEnded != null || connection.isLost()) {
                return;
            }
            trace = pool.tracing().begin("closePrepared");
            call(
                    options -> {
                        statement.close(options);
                        return true;
                    },
                    deadline);
        } finally {
            lock.unlock();
        }
    }

    // Transactions.

    public boolean isInTransaction() {
        lock.lock();
        try {
            return transaction != null;
        } finally {
            lock.unlock();
        }
    }

    /** Begins a transaction. Blocks. */
    public void begin(Deadline deadline) {
        run("begin", () -> {
            if (transaction != null) {
                throw new IllegalStateException(pool.name() + ": the session is in a transaction already");
            }
            Transaction begun = transactionCall(options -> connection.client().beginTransaction(options), deadline);
            transaction = begun;
            return begun;
        });
    }

    /** Commits or rolls back. Blocks. If that fails, the transaction is over as far as the session is concerned. */
    public void end(boolean commit, Deadline deadline) {
        run(commit ? "commit" : "rollback", () -> {
            Transaction ending = transaction;
            if (ending == null) {
                throw new IllegalStateException(pool.name() + ": the session is not in a transaction");
            }
            transaction = null;
            boolean ended = false;
            try {
                transactionCall(
                        options -> {
                            if (commit) {
                                connection.client().commit(ending, options);
                            } else {
                                connection.client().rollback(ending, options);
                            }
                            return true;
                        },
                        deadline);
                ended = true;
            } finally {
                // Whether the transaction is open on the server is unknown, so the connection is not used again.
                leavesState |= !ended;
            }
            return ended;
        });
    }

    /**
     * After a timeout or an interrupt nobody knows whether a transaction is open on the server. A statement that
     * follows could run inside it and be rolled back with it, so the session ends.
     */
    private <T> T transactionCall(SimpleCommand<T> command, Deadline deadline) {
        try {
            return call(command, deadline);
        } catch (FlightSqlException e) {
            end(e.kind() == Kind.SQL, "whether a transaction is open on it is unknown");
            throw e;
        }
    }

    // The fate of the connection after each statement.

    @Override
    void succeeded(@Nullable PreparedStatement oneOff, Deadline deadline) {
        leavesState |= !Interrupts.test(() -> pool.cleanup().closePrepared(oneOff, deadline));
    }

    @Override
    void failed(FlightSqlException failure, @Nullable FlightInfo info, @Nullable PreparedStatement oneOff) {
        if (failure.kind() == Kind.CONNECTION_LOST) {
            whyEnded = "its connection was lost";
        } else if (Failures.needsHealthCheck(failure)) {
            end(Interrupts.test(() -> pool.cleanup().works(connection)), "the server has no session for it");
        } else if (failure.kind() != Kind.SQL) {
            // The session goes on if the statement has stopped, so its caller waits for that.
            boolean stopped = Interrupts.test(() -> pool.cleanup().stopStatement(connection, null, info, cancel));
            end(stopped, "a statement may still run on it");
        }
        if (whyEnded == null) {
            leavesState |= !Interrupts.test(() -> pool.cleanup().closePrepared(oneOff));
        }
    }

    private void end(boolean reusable, String otherwise) {
        if (!reusable && whyEnded == null) {
            whyEnded = otherwise;
        }
    }

    /**
     * Takes no lock of the session: a reader that finishes its result holds the lock of the result, and a thread that
     * closes the session holds that of the session while it waits for the reader.
     */
    @Override
    void finished(ResultCore result) {
        boolean reusable = false;
        try {
            reusable = Interrupts.test(() -> pool.cleanup().settle(connection, result, cancel));
        } finally {
            end(reusable, "a statement may still run on it");
            openResult = null;
        }
    }

    // End.

    /**
     * Rolls back, closes what is open and gives the connection back, or drops it if something cannot be undone. Blocks
     * for a few times the cancel timeout at most. Does nothing the second time.
     */
    public void close() {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            ResultCore open = openResult;
            if (open != null) {
                open.close();
            }
            closed = true;
            held.beginRelease();
            pool.handles().remove(this);
            if (whyEnded == null && !connection.isLost() && Interrupts.test(this::undo) && !leavesState) {
                held.release();
            } else {
                held.drop();
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean undo() {
        Deadline deadline = Deadline.in(pool.config().cancelTimeout());
        try {
            Transaction open = transaction;
            if (open != null) {
                transaction = null;
                connection.client().rollback(open, deadline.options());
            }
            if (!leavesState) {
                for (PreparedStatement statement : prepared) {
                    statement.close(deadline.options());
                }
            }
            return true;
        } catch (RuntimeException e) {
            return false;
        }
    }

    /** Arrow's client on the connection. */
    public FlightSqlClient client() {
        return connection.client();
    }

    public boolean isLost() {
        return connection.isLost();
    }

    /** Makes {@link #close} drop the connection. */
    public void dropOnClose() {
        lock.lock();
        try {
            leavesState = true;
        } finally {
            lock.unlock();
        }
    }

    /** Notes the object that the application holds. If it is collected, this session is closed. */
    public void heldBy(Object handle) {
        pool.handles().add(handle, this);
    }

    @Override
    public void recover() {
        close();
    }

    @Override
    public String what() {
        return "session";
    }

    @FunctionalInterface
    private interface Work<T> {
        T run();
    }
}
