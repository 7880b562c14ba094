package dev.reservoir.remote.sys.port;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs queries, so that the thread of a session stays free to be interrupted. H2 does not notice an interrupt; it wants
 * {@code cancel} from another thread. There are at most as many threads as sessions.
 */
final class QueryThreads implements AutoCloseable {
    /** How long an interrupted session waits for H2 to end its query. */
    private static final long CANCEL_WAIT_SECONDS = 5;

    private final ExecutorService threads;

    QueryThreads(String name) {
        AtomicInteger number = new AtomicInteger();
        threads = Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, name + "-query-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
    }

    ResultSet run(PreparedStatement query, Callable<ResultSet> execution) throws SQLException, InterruptedException {
        Future<ResultSet> running = threads.submit(execution);
        try {
            return running.get();
        } catch (InterruptedException e) {
            query.cancel();
            awaitEnd(running);
            throw e;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof SQLException failed) {
                throw failed;
            }
            throw new IllegalStateException("a query failed", e.getCause());
        }
    }

    private static void awaitEnd(Future<ResultSet> running) {
        try {
            running.get(CANCEL_WAIT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            running.cancel(true);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
