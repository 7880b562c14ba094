package dev.reservoir.bench.attack;

import dev.reservoir.bench.Quiet;
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

    private final SessionCounts counts;
    private final Checkouts checkouts;

    /** Fills a pool, reports whether it is full, and starts threads that use it. */
    AttackedPool(String application, int port, int threads) throws SQLException, InterruptedException {
        Quiet.logs();
        ReservoirDataSource pool = ReservoirDataSource.builder()
                .name(application)
                .url(Child.url(application, port))
                .maxOpen(SIZE)
                .acquireTimeout(ACQUIRE)
                .build();
        this.counts = new SessionCounts(pool, Child.url("admin", port), application);
        Verdict before = new Verdict("before");
        counts.checkIdle(before, SIZE);
        Child.report(before.holds(), "the pool was full before");
        this.checkouts = new Checkouts(pool, true);
        checkouts.start(threads);
        Checkouts.awaitMore(checkouts.served, PATIENCE);
    }

    Checkouts checkouts() {
        return checkouts;
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
        counts.checkIdle(after, SIZE);
        Child.report(after.holds(), after.line());
    }
}
