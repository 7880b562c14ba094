package dev.reservoir.bench.attack;

import dev.reservoir.bench.Daemons;
import dev.reservoir.bench.Polling;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;
import javax.sql.DataSource;

/**
 * Threads that acquire a connection, query a number that no other thread queries, and release the connection. They go
 * on after every failure, including errors of the JVM.
 */
final class Checkouts {

    /** Pause between two requests of one thread, long enough to keep the load light. */
    private static final long PAUSE_MILLIS = 5;

    private static final AtomicLong NUMBERS = new AtomicLong();

    final LongAdder served = new LongAdder();
    final LongAdder failed = new LongAdder();
    final LongAdder wrong = new LongAdder();
    private final LongAccumulator longestNanos = new LongAccumulator(Math::max, 0);
    private final DataSource pool;
    private final boolean asks;
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean stopped;

    /** If {@code asks} is false, the threads run no statement. */
    Checkouts(DataSource pool, boolean asks) {
        this.pool = pool;
        this.asks = asks;
    }

    void start(int count) {
        for (int i = 0; i < count; i++) {
            threads.add(Daemons.start("checkout-" + i, this::work));
        }
    }

    /** Stops the threads and waits for them up to the limit. Returns the number of threads that still hang. */
    int stop(Duration limit) throws InterruptedException {
        stopped = true;
        long deadlineNanos = System.nanoTime() + limit.toNanos();
        int hanging = 0;
        for (Thread thread : threads) {
            thread.join(Math.max(1, (deadlineNanos - System.nanoTime()) / 1_000_000));
            hanging += thread.isAlive() ? 1 : 0;
        }
        return hanging;
    }

    /** The longest time that {@code getConnection} took. */
    Duration longest() {
        return Duration.ofNanos(longestNanos.get());
    }

    void forgetLongest() {
        longestNanos.reset();
    }

    /** Blocks until the count increases, up to the limit. Returns whether it did. */
    static boolean awaitMore(LongAdder adder, Duration limit) throws InterruptedException {
        long before = adder.sum();
        return Polling.until(limit, () -> adder.sum() > before);
    }

    private void work() {
        while (!stopped) {
            try {
                once();
                Thread.sleep(PAUSE_MILLIS);
            } catch (InterruptedException e) {
                return;
            } catch (Throwable e) {
                failed.increment();
            }
        }
    }

    /** No code of the benchmark runs between the acquire and the block that releases, because it could fail there. */
    private void once() throws SQLException {
        long beganNanos = System.nanoTime();
        boolean taken = false;
        try (Connection connection = pool.getConnection()) {
            taken = true;
            longestNanos.accumulate(System.nanoTime() - beganNanos);
            if (asks) {
                ask(connection);
            }
            served.increment();
        } finally {
            if (!taken) {
                longestNanos.accumulate(System.nanoTime() - beganNanos);
            }
        }
    }

    private void ask(Connection connection) throws SQLException {
        long number = NUMBERS.incrementAndGet();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select " + number)) {
            if (!row.next() || row.getLong(1) != number) {
                wrong.increment();
            }
        }
    }

    /**
     * Lets {@code count} threads acquire a connection and use it while all others hold theirs. Blocks for twice the
     * limit at most.
     */
    static void checkTogether(Verdict verdict, DataSource pool, int count, Duration limit) throws InterruptedException {
        AtomicInteger got = new AtomicInteger();
        Queue<String> failures = new ConcurrentLinkedQueue<>();
        CountDownLatch all = new CountDownLatch(count);
        CountDownLatch ended = new CountDownLatch(count);
        for (int i = 0; i < count; i++) {
            Daemons.start("together", () -> {
                try (Connection connection = pool.getConnection();
                        Statement statement = connection.createStatement()) {
                    statement.execute("select 1");
                    got.incrementAndGet();
                    all.countDown();
                    all.await(limit.toMillis(), TimeUnit.MILLISECONDS);
                } catch (SQLException | InterruptedException | RuntimeException e) {
                    failures.add(e.toString());
                    all.countDown();
                } finally {
                    ended.countDown();
                }
            });
        }
        ended.await(limit.toMillis() * 2, TimeUnit.MILLISECONDS);
        String failure = failures.peek();
        verdict.check(
                got.get() == count,
                got + " of " + count + " connections can be taken at once"
                        + (failure == null ? "" : ", the first failure: " + failure));
    }
}
