package dev.reservoir.bench.scenario;

import dev.reservoir.bench.Daemons;
import dev.reservoir.bench.report.LatencyHistogram;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import javax.sql.DataSource;

/**
 * Threads that use a pool without a pause: acquire, hold, run one statement, release. They count failures and go on.
 */
final class Workers {

    /** Pause after a failed checkout, so that a pool that fails at once does not cause a busy loop. */
    private static final long PAUSE_AFTER_FAILURE_MILLIS = 5;

    final LatencyHistogram acquires = new LatencyHistogram();
    final LongAdder failedAcquires = new LongAdder();
    final LongAdder failedStatements = new LongAdder();
    private final AtomicInteger holding = new AtomicInteger();
    private final DataSource pool;
    private final Duration hold;
    private final int count;
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean measuring;
    private volatile boolean stopped;

    Workers(DataSource pool, int count, Duration hold) {
        this.pool = pool;
        this.hold = hold;
        this.count = count;
    }

    void start() {
        for (int i = 0; i < count; i++) {
            threads.add(Daemons.start("worker-" + i, this::work));
        }
    }

    /** Starts to count waits and failures. */
    void measure() {
        measuring = true;
    }

    /** The number of workers that hold a connection now. */
    int holding() {
        return holding.get();
    }

    void stop() throws InterruptedException {
        stopped = true;
        long deadlineNanos = System.nanoTime() + Duration.ofSeconds(10).toNanos();
        for (Thread thread : threads) {
            long leftMillis = (deadlineNanos - System.nanoTime()) / 1_000_000;
            if (leftMillis <= 0) {
                return;
            }
            thread.join(leftMillis);
        }
    }

    private void work() {
        try {
            while (!stopped) {
                workOnce();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void workOnce() throws InterruptedException {
        boolean counted = measuring;
        long askedNanos = System.nanoTime();
        Connection connection;
        try {
            connection = pool.getConnection();
        } catch (SQLException e) {
            count(failedAcquires, counted);
            record(askedNanos, counted);
            Thread.sleep(PAUSE_AFTER_FAILURE_MILLIS);
            return;
        }
        record(askedNanos, counted);
        holding.incrementAndGet();
        try (connection;
                Statement statement = connection.createStatement()) {
            Thread.sleep(hold.toMillis());
            statement.execute("SELECT 1");
        } catch (SQLException e) {
            count(failedStatements, counted);
        } finally {
            holding.decrementAndGet();
        }
    }

    private void record(long askedNanos, boolean counted) {
        if (counted) {
            acquires.record(System.nanoTime() - askedNanos);
        }
    }

    private static void count(LongAdder adder, boolean counted) {
        if (counted) {
            adder.increment();
        }
    }
}
