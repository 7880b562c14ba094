package dev.reservoir.jdbc.faults;

import dev.reservoir.jdbc.ErrorRule;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.awaitility.Awaitility;

/**
 * Threads that acquire a connection, work and release it, over and over, until they are stopped. Remembers every
 * failure and its kind. Never stops because of a failure.
 */
final class Load implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

    /** The work on one connection before it is released. */
    @FunctionalInterface
    interface Work {
        void on(Connection connection, int worker, long round) throws SQLException;
    }

    /** A failed round, with its worker and its error. */
    record Failure(int worker, SQLException error) {}

    private final DataSource dataSource;
    private final Work work;
    private final AtomicLongArray rounds;
    private final Collection<Failure> broken = new ConcurrentLinkedQueue<>();
    private final Collection<Failure> refused = new ConcurrentLinkedQueue<>();
    private final Collection<Throwable> unexpected = new ConcurrentLinkedQueue<>();
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean stopped;

    private Load(DataSource dataSource, int workers, Work work) {
        this.dataSource = dataSource;
        this.work = work;
        rounds = new AtomicLongArray(workers);
        for (int i = 0; i < workers; i++) {
            int worker = i;
            Thread thread = new Thread(() -> run(worker), "load-" + worker);
            thread.setDaemon(true);
            threads.add(thread);
        }
    }

    static Load start(DataSource dataSource, int workers, Work work) {
        Load load = new Load(dataSource, workers, work);
        load.threads.forEach(Thread::start);
        return load;
    }

    private void run(int worker) {
        long round = 0;
        while (!stopped) {
            try {
                if (runOnce(worker, round)) {
                    rounds.incrementAndGet(worker);
                }
            } catch (RuntimeException | Error e) {
                unexpected.add(e);
            }
            round++;
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private boolean runOnce(int worker, long round) {
        Connection taken;
        try {
            taken = dataSource.getConnection();
        } catch (SQLTransientConnectionException e) {
            refused.add(new Failure(worker, e));
            return false;
        } catch (SQLException e) {
            unexpected.add(e);
            return false;
        }
        try (Connection connection = taken) {
            work.on(connection, worker, round);
            return true;
        } catch (SQLException e) {
            if (ErrorRule.standard().isBad(e)) {
                broken.add(new Failure(worker, e));
            } else {
                unexpected.add(e);
            }
            return false;
        }
    }

    /** Returns the rounds on connections that were broken. */
    List<Failure> broken() {
        return List.copyOf(broken);
    }

    /** Returns the checkouts that got no connection. */
    List<Failure> refused() {
        return List.copyOf(refused);
    }

    /** Returns all other failures, which should not happen. */
    List<Throwable> unexpected() {
        return List.copyOf(unexpected);
    }

    /** Returns the rounds of one worker on broken connections, in order. */
    List<Failure> brokenOf(int worker) {
        return broken.stream().filter(f -> f.worker() == worker).toList();
    }

    long rounds() {
        long sum = 0;
        for (int i = 0; i < rounds.length(); i++) {
            sum += rounds.get(i);
        }
        return sum;
    }

    /** Blocks until every worker has finished this many more rounds. */
    void awaitRounds(int more) {
        long[] goals = new long[rounds.length()];
        for (int i = 0; i < goals.length; i++) {
            goals[i] = rounds.get(i) + more;
        }
        Awaitility.await("each of " + goals.length + " workers to finish " + more + " rounds")
                .atMost(PATIENCE)
                .until(() -> {
                    for (int i = 0; i < goals.length; i++) {
                        if (rounds.get(i) < goals[i]) {
                            return false;
                        }
                    }
                    return true;
                });
    }

    /** Blocks until every worker has finished its round and ended. */
    void stop() {
        stopped = true;
        for (Thread thread : threads) {
            awaitEnd(thread);
        }
    }

    @Override
    public void close() {
        stop();
    }

    /** Blocks until the thread has ended, and fails if that takes too long. */
    static void awaitEnd(Thread thread) {
        try {
            thread.join(PATIENCE.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (thread.isAlive()) {
            throw new IllegalStateException(thread.getName() + " does not end");
        }
    }
}
