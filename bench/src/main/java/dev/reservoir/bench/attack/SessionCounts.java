package dev.reservoir.bench.attack;

import dev.reservoir.bench.Polling;
import dev.reservoir.bench.trouble.TroubleServer;
import dev.reservoir.core.Stats;
import dev.reservoir.jdbc.ReservoirDataSource;
import java.sql.SQLException;
import java.time.Duration;

/** Compares the connections that a reservoir counts with the sessions that the server has. */
final class SessionCounts {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final ReservoirDataSource pool;
    private final String url;
    private final String application;

    /** The URL leads to the server without the pool. */
    SessionCounts(ReservoirDataSource pool, String url, String application) {
        this.pool = pool;
        this.url = url;
        this.application = application;
    }

    /**
     * Checks a pool that no caller uses. Waits until it is full and agrees with the server, then acquires all its
     * connections at once.
     */
    void checkIdle(Verdict verdict, int size) throws SQLException, InterruptedException {
        boolean balanced = Polling.until(PATIENCE, Duration.ofMillis(50), () -> balanced(size));
        Stats stats = pool.stats();
        verdict.check(
                balanced,
                "afterwards ready " + stats.ready() + ", in use " + stats.inUse() + ", open " + stats.open()
                        + ", closing " + stats.closing() + ", sessions on the server " + sessions() + " of " + size);
        Checkouts.checkTogether(verdict, pool, size, Duration.ofSeconds(10));
    }

    private boolean balanced(int size) throws SQLException {
        Stats stats = pool.stats();
        return stats.ready() == size && stats.inUse() == 0 && stats.open() == size && sessions() == size;
    }

    private int sessions() throws SQLException {
        return TroubleServer.sessions(url, application);
    }
}
