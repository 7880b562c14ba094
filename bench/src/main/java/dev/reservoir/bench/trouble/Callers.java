package dev.reservoir.bench.trouble;

import dev.reservoir.bench.Daemons;
import dev.reservoir.bench.Polling;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/**
 * Threads that send requests to a pool. Each request acquires a connection, runs one statement and releases the
 * connection. Never repeats a failed request. A thread without an answer is left alone, because it is a daemon.
 */
final class Callers {

    /** Shortest pause after a failure, so that a pool that fails at once does not cause a busy loop. */
    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofMillis(100);

    final Outcomes outcomes = new Outcomes();
    private final DataSource pool;
    private final String sql;
    private volatile boolean stopped;

    Callers(DataSource pool, String sql) {
        this.pool = pool;
        this.sql = sql;
    }

    /** Starts threads that send requests until {@link #stop}, with this pause between two requests. */
    void start(int threads, Duration pause) {
        for (int i = 0; i < threads; i++) {
            daemon(() -> {
                while (!stopped) {
                    boolean served = request();
                    sleep(served || pause.compareTo(PAUSE_AFTER_FAILURE) > 0 ? pause : PAUSE_AFTER_FAILURE);
                }
            });
        }
    }

    /** Sends one request from a thread of its own. Does not block. */
    void send() {
        daemon(this::request);
    }

    /**
     * Sends {@code each} requests from each of {@code threads} threads at once. Blocks until all have ended, up to the
     * limit.
     */
    void burst(int threads, int each, Duration limit) throws InterruptedException {
        CountDownLatch begin = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(threads);
        for (int i = 0; i < threads; i++) {
            daemon(() -> {
                try {
                    begin.await();
                    for (int sent = 0; sent < each && !stopped; sent++) {
                        request();
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                } finally {
                    ended.countDown();
                }
            });
        }
        begin.countDown();
        if (!ended.await(limit.toMillis(), TimeUnit.MILLISECONDS)) {
            stopped = true;
        }
    }

    /** Sends no further requests. Does not wait for those that run. */
    void stop() {
        stopped = true;
    }

    /** Blocks until no request runs, up to the limit. */
    void awaitAnswers(Duration limit) throws InterruptedException {
        Polling.until(limit, () -> outcomes.unanswered() == 0);
    }

    private boolean request() {
        Outcomes.Request request = outcomes.begin(System.nanoTime());
        boolean served = false;
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
            served = true;
        } catch (SQLException | RuntimeException e) {
            served = false;
        } finally {
            request.end(System.nanoTime(), served);
        }
        return served;
    }

    private static void sleep(Duration time) {
        try {
            Thread.sleep(time.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void daemon(Runnable task) {
        Daemons.start("caller", task);
    }
}
