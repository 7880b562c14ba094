package dev.reservoir.bench.trouble;

import dev.reservoir.bench.Daemons;
import dev.reservoir.bench.pools.PoolKind;
import dev.reservoir.bench.pools.PoolSettings;
import dev.reservoir.bench.pools.PoolUnderTest;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * One kind of pool and the server that it is tested on. Opens and closes pools on threads of their own, so that a pool
 * that hangs never blocks a case.
 *
 * @param kind the pool
 * @param server the server that it connects to
 */
record Trial(PoolKind kind, TroubleServer server) {

    static final int SIZE = 10;

    private static final Duration OPEN_LIMIT = Duration.ofSeconds(70);
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);

    /** A pool of the superuser that connects through this port. Blocks until all its connections are open. */
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

    /** Closes a pool if it can be closed in time, and otherwise leaves it open. Blocks for some seconds at most. */
    void abandon(PoolUnderTest pool) throws InterruptedException {
        try {
            within(CLOSE_LIMIT, () -> {
                pool.close();
                return pool;
            });
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            // The measurement is complete, and the process ends soon.
        }
    }

    /**
     * Runs the call on a thread of its own and blocks until it ends. Throws what the call throws, or an exception of
     * its own if the call takes too long.
     */
    static <T> T within(Duration limit, Callable<T> call) throws Exception {
        return Daemons.call("trial", call).get(limit.toMillis(), TimeUnit.MILLISECONDS);
    }
}
