package dev.reservoir.flightsql.server;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** One execution of a statement, from its plan to its end. */
final class RunningStatement {
    /** Bounds how long a cancel waits for the statement to stop. DuckDB stops within milliseconds. */
    private static final long STOP_PATIENCE_MILLIS = 2_000;

    final ServerSession session;
    final String sql;
    final PreparedStatement statement;

    /** Whether the statement object ends with this execution. */
    final boolean closesStatement;

    private final CountDownLatch ended = new CountDownLatch(1);
    private final CountDownLatch stopped = new CountDownLatch(1);

    RunningStatement(ServerSession session, String sql, PreparedStatement statement, boolean closesStatement) {
        this.session = session;
        this.sql = sql;
        this.statement = statement;
        this.closesStatement = closesStatement;
    }

    boolean isStopped() {
        return stopped.getCount() == 0;
    }

    /** Blocks for this time, or until the statement is stopped. */
    void pause(long millis) throws InterruptedException {
        stopped.await(millis, TimeUnit.MILLISECONDS);
    }

    boolean hasEnded() {
        return ended.getCount() == 0;
    }

    /** Does not wait for the statement to end. */
    void stop() {
        if (hasEnded()) {
            return;
        }
        stopped.countDown();
        try {
            statement.cancel();
        } catch (SQLException e) {
            // The statement has just ended, so there is nothing to cancel.
        }
    }

    /** Stops the statement and waits. Returns whether it has stopped before its end. */
    boolean stopAndWait() throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(STOP_PATIENCE_MILLIS);
        // DuckDB forgets an interrupt that arrives before the statement runs, so it is sent again.
        do {
            stop();
        } while (!ended.await(5, TimeUnit.MILLISECONDS) && System.nanoTime() < deadline);
        return hasEnded() && isStopped();
    }

    void end() {
        ended.countDown();
        if (closesStatement) {
            try {
                statement.close();
            } catch (SQLException e) {
                // The connection is closed already.
            }
        }
    }
}
