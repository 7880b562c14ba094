package dev.reservoir.remote.adapter.jdbc;

import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A statement that a session executes now. The timer or another thread may cancel it, once.
 *
 * <p>Servers cancel whatever a connection executes. A late cancel would hit the next statement. So {@link #end} waits
 * until a cancel that has begun is over.
 */
final class RunningStatement {
    /** Longest wait for a cancel that is under way. Drivers give up earlier, and a cancel that hangs hits nothing. */
    private static final long CANCEL_SECONDS_MAX = 15;

    /** Why a statement was cancelled. */
    enum Reason {
        TIMEOUT,
        CALLER
    }

    private final Statement statement;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition cancelled = lock.newCondition();

    /** Guarded by {@link #lock}. */
    private boolean ended;

    /** Guarded by {@link #lock}. Set once. */
    private @Nullable Reason reason;

    /** Guarded by {@link #lock}. */
    private boolean cancelling;

    RunningStatement(Statement statement) {
        this.statement = statement;
    }

    /** Cancels the statement because its time is over. Reports no error, because nobody waits for one. */
    void expire() {
        try {
            cancel(Reason.TIMEOUT);
        } catch (SQLException | RuntimeException e) {
            // The network timeout of the connection ends the statement.
            return;
        }
    }

    /** Cancels the statement. Returns false if it has ended or somebody cancelled it before. Blocks for a moment. */
    boolean cancel(Reason why) throws SQLException {
        lock.lock();
        try {
            if (ended || reason != null) {
                return false;
            }
            reason = why;
            cancelling = true;
        } finally {
            lock.unlock();
        }
        try {
            statement.cancel();
        } finally {
            lock.lock();
            try {
                cancelling = false;
                cancelled.signalAll();
            } finally {
                lock.unlock();
            }
        }
        return true;
    }

    /**
     * Says that the connection of the statement is dead. Does not wait for a cancel that is under way: no statement
     * follows that it could hit, and a server that does not answer lets it hang. Returns why it was cancelled, or null.
     */
    @Nullable
    Reason endOfConnection() {
        lock.lock();
        try {
            ended = true;
            return reason;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Says that the statement has ended. Waits for a cancel that is under way. Returns why it was cancelled, or null.
     */
    @Nullable
    Reason end() {
        lock.lock();
        try {
            ended = true;
            long left = TimeUnit.SECONDS.toNanos(CANCEL_SECONDS_MAX);
            boolean interrupted = false;
            while (cancelling && left > 0) {
                try {
                    left = cancelled.awaitNanos(left);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            return reason;
        } finally {
            lock.unlock();
        }
    }
}
