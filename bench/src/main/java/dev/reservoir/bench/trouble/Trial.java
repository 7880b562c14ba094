package dev.reservoir.bench.trouble;

import dev.reservoir.bench.pools.PoolKind;
import dev.reservoir.bench.pools.PoolSettings;
import dev.reservoir.bench.pools.PoolUnderTest;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/**
 * One kind of pool and the server that it is tried on. Opens and closes pools on threads of their own, so that a pool that hangs
 * never holds up a case.
 *
 * @param kind the pool
 * @param server what it connects to
 */
record Trial(PoolKind kind, TroubleServer server) {

    /** Connections of every pool. */
    static final int SIZE = 10;

    private static final Duration OPEN_LIMIT = Duration.ofSeconds(70);
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);

    /** A pool on the superuser's database by way of this port, when all its connections are open. */
    PoolUnderTest openFull(String name, int port) throws Exception {
        PoolUnderTest pool = within(OPEN_LIMIT, () -> open(name, server.url(name, port)));
        if (!server.awaitSessions(name, SIZE)) {
            throw new IllegalStateException(kind.title() + " did not open " + SIZE + " connections");
        }
        return pool;
    }

    /** A pool at its defaults. Blocks as long as that kind of pool does. */
    PoolUnderTest open(String name, String url) throws SQLException {
        return kind.open(
                PoolSettings.of(name, url, "org.postgresql.Driver", SIZE).withOwnStart());
    }

    /** Closes a pool if it lets itself be closed; else leaves it. Blocks for some seconds at most. */
    void abandon(PoolUnderTest pool) throws InterruptedException {
        try {
            within(CLOSE_LIMIT, () -> {
                pool.close();
                return pool;
            });
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            // What was measured is measured; the process ends soon.
        }
    }

    /** Runs this on a thread of its own. Throws what it throws, or an exception of its own if that takes too long. */
    static <T> T within(Duration limit, Callable<T> call) throws Exception {
        FutureTask<T> task = new FutureTask<>(call);
        Thread thread = new Thread(task, "trial");
        thread.setDaemon(true);
        thread.start();
        return task.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    }
}
