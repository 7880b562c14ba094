package dev.reservoir.bench.attack;

import dev.reservoir.bench.Jvm;
import dev.reservoir.bench.Polling;
import dev.reservoir.bench.trouble.TroubleServer;
import dev.reservoir.core.Stats;
import dev.reservoir.jdbc.ReservoirDataSource;
import java.sql.SQLException;
import java.time.Duration;

/** For a child: a pool on the parent's server, threads that use it, and checks that every attack needs. */
final class AttackedPool {

    private static final int SIZE = 10;
    private static final Duration ACQUIRE = Duration.ofSeconds(2);

    /** Longest time of a checkout. A process without memory or descriptors is slow. */
    private static final Duration CHECKOUT_MAX = ACQUIRE.multipliedBy(2);

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private static final Duration INTERVAL = Duration.ofMillis(50);

    private final String application;
    private final int port;
    private final ReservoirDataSource pool;
    final Checkouts checkouts;

    /** Fills a pool, reports whether it is full, and starts threads that use it. */
    AttackedPool(String application, int port, int threads) throws SQLException, InterruptedException {
        Jvm.silenceLogs();
        this.application = application;
        this.port = port;
        this.pool = ReservoirDataSource.builder()
                .name(application)
                .url(Child.url(application, port))
                .maxOpen(SIZE)
                .acquireTimeout(ACQUIRE)
                .build();
        Verdict before = new Verdict("before");
        checkIdle(before);
        Child.report(before.holds(), "the pool was full before");
        this.checkouts = new Checkouts(pool, true);
        checkouts.start(threads);
        Checkouts.awaitMore(checkouts.served, PATIENCE);
    }

    void reportServedAgain() throws InterruptedException {
        boolean served = Checkouts.awaitMore(checkouts.served, PATIENCE);
        Child.report(served, served ? "served again" : "not served within 20 s");
    }

    /** Stops the threads. Returns the number of those that hang. */
    int stop() throws InterruptedException {
        return checkouts.stop(ACQUIRE.multipliedBy(3));
    }

    boolean isWithinDeadline(Duration checkout) {
        return checkout.compareTo(CHECKOUT_MAX) <= 0;
    }

    /** Reports whether the idle pool agrees with the server. */
    void reportCounts() throws SQLException, InterruptedException {
        Verdict after = new Verdict("after");
        checkIdle(after);
        Child.report(after.holds(), after.line());
    }

    /**
     * Checks a pool that no caller uses. Waits until it is full and its counts agree with the server, then acquires all
     * its connections at once.
     */
    private void checkIdle(Verdict verdict) throws SQLException, InterruptedException {
        boolean balanced = Polling.until(PATIENCE, INTERVAL, this::isBalanced);
        Stats stats = pool.stats();
        verdict.check(
                balanced,
                "afterwards ready " + stats.ready() + ", in use " + stats.inUse() + ", open " + stats.open()
                        + ", closing " + stats.closing() + ", sessions on the server " + sessions() + " of " + SIZE);
        Checkouts.checkTogether(verdict, pool, SIZE, Duration.ofSeconds(10));
    }

    private boolean isBalanced() throws SQLException {
        Stats stats = pool.stats();
        return stats.ready() == SIZE && stats.inUse() == 0 && stats.open() == SIZE && sessions() == SIZE;
    }

    /** The application's sessions according to the server, without the pool. */
    private int sessions() throws SQLException {
        return TroubleServer.sessions(Child.url("admin", port), application);
    }
}
