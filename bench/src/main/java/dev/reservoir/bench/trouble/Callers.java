package dev.reservoir.bench.trouble;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/**
 * Threads that send requests to a pool: each request takes a connection, runs one statement and returns the connection. A request
 * that fails is not repeated. A thread that gets no answer is left alone: it is a daemon.
 */
final class Callers {

    /** What a caller waits after a failure at least, so that a pool that fails at once does not make a busy loop. */
    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofMillis(100);

    final Outcomes outcomes = new Outcomes();
    private final DataSource pool;
    private final String sql;
    private volatile boolean stopped;

    Callers(DataSource pool, String sql) {
        this.pool = pool;
        this.sql = sql;
    }

    /** Starts threads that send requests until {@link #stop}, with this pause between two. */
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

    /** Sends one request from a thread of its own. Does not wait for it. */
    void send() {
        daemon(this::request);
    }

    /** Sends this many requests from each of this many threads at once. Waits for all of them, up to the limit. */
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

    /** No new requests. Does not wait for those under way. */
    void stop() {
        stopped = true;
    }

    /** Waits until no request is under way, up to the limit. */
    void awaitAnswers(Duration limit) throws InterruptedException {
        long beganNanos = System.nanoTime();
        while (outcomes.unanswered() > 0 && System.nanoTime() - beganNanos < limit.toNanos()) {
            Thread.sleep(5);
        }
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
        Thread thread = new Thread(task, "caller");
        thread.setDaemon(true);
        thread.start();
    }
}
