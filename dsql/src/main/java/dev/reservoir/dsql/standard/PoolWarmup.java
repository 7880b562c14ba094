package dev.reservoir.dsql.standard;

import dev.reservoir.core.util.DoublingPause;
import dev.reservoir.dsql.DsqlDataSource;
import dev.reservoir.dsql.connect.ConnectionOpener;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Performs the first fill of a pool that opens its own connections. It opens and validates each connection that the
 * pool asks for, with up to 6 attempts. The pauses between attempts start at 200 ms and double up to 5 s. Each pause is
 * multiplied by a random factor between 0.5 and 1.5.
 *
 * <p>The start of the pool waits until as many connections were tried as the pool holds. Failures are counted and
 * logged. They never prevent the start, because the pool keeps trying.
 */
final class PoolWarmup {
    static final int RETRIES = 5;

    private static final long BACKOFF_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long BACKOFF_MAX_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Longest validation: the same as the longest connect. */
    private static final int VALIDATION_SECONDS = (int) ConnectionOpener.CONNECT_TIMEOUT.toSeconds();

    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final Logger log = LoggerFactory.getLogger(DsqlDataSource.class);

    private final int target;
    private final RandomGenerator random;
    private final Sleep sleep;

    /** Guards the fields below. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition changed = lock.newCondition();
    private int created;
    private int failed;
    private volatile boolean over;

    PoolWarmup(int target, RandomGenerator random, Sleep sleep) {
        this.target = target;
        this.random = random;
        this.sleep = sleep;
    }

    /** Opens one connection. */
    @FunctionalInterface
    interface Opening {
        Connection open() throws SQLException;
    }

    /** Waits for a pause to pass. */
    @FunctionalInterface
    interface Sleep {
        void nanos(long nanos) throws InterruptedException;
    }

    boolean isOver() {
        return over;
    }

    /** Opens a connection and validates it. Retries while the warm-up lasts. */
    Connection open(Opening opening) throws SQLException {
        int attempt = 0;
        while (true) {
            SQLException failure;
            try {
                Connection connection = validated(opening.open());
                count(true);
                return connection;
            } catch (SQLException e) {
                failure = e;
            }
            if (attempt >= RETRIES || isOver() || Thread.currentThread().isInterrupted()) {
                count(false);
                log.warn("Pool warmup connection failed  attempts={} error=\"{}\"", attempt + 1, oneLine(failure));
                throw failure;
            }
            pause(attempt, failure);
            attempt++;
        }
    }

    /** Returns the connection if it answers, and closes it otherwise. */
    private static Connection validated(Connection connection) throws SQLException {
        boolean valid = false;
        try {
            valid = connection.isValid(VALIDATION_SECONDS);
        } finally {
            if (!valid) {
                close(connection);
            }
        }
        if (!valid) {
            throw new SQLTransientConnectionException(
                    "a new connection did not answer within " + VALIDATION_SECONDS + " s", "08001");
        }
        return connection;
    }

    private static void close(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            log.debug("DSQL connection not closed  error=\"{}\"", oneLine(e));
        }
    }

    private void pause(int attempt, SQLException failure) throws SQLException {
        try {
            sleep.nanos(backoffNanos(attempt));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            failure.addSuppressed(e);
            throw failure;
        }
    }

    /** Returns the pause after this attempt. The first attempt has number 0. */
    long backoffNanos(int attempt) {
        return (long) (DoublingPause.nanos(attempt, BACKOFF_NANOS, BACKOFF_MAX_NANOS) * (0.5 + random.nextDouble()));
    }

    private void count(boolean good) {
        lock.lock();
        try {
            if (good) {
                created++;
            } else {
                failed++;
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Blocks until the pool is full, enough connects were tried, or the timeout is over. Logs the result. */
    void await(IntSupplier open, Duration timeout) {
        int before = open.getAsInt();
        log.info(
                "Starting DSQL pool warmup  current_connections={} target_connections={} connections_to_create={}",
                before,
                target,
                Math.max(0, target - before));
        int createdThen;
        int failedThen;
        long left = timeout.toNanos();
        lock.lock();
        try {
            // The pool counts a connection a moment after it was opened, so this polls.
            while (left > 0
                    && ((open.getAsInt() < target && created + failed < target - before)
                            || open.getAsInt() < Math.min(target, before + created))) {
                left -= POLL_NANOS - Math.max(0, changed.awaitNanos(POLL_NANOS));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            over = true;
            createdThen = created;
            failedThen = failed;
            lock.unlock();
        }
        log.info(
                "DSQL pool warmup complete  connections_created={} connections_failed={} final_open_connections={}",
                createdThen,
                failedThen,
                open.getAsInt());
    }

    private static String oneLine(SQLException error) {
        return String.valueOf(error.getMessage()).replaceAll("\\s+", " ").replace('"', '\'');
    }
}
