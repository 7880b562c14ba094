package dev.reservoir.bench.trouble;

import dev.reservoir.bench.Relay;
import dev.reservoir.bench.pools.PoolUnderTest;
import dev.reservoir.bench.report.LatencyHistogram;
import dev.reservoir.bench.report.Unit;
import java.time.Duration;

/**
 * Half of the connections are reset at once while 16 threads use the pool. Every pool loses a request that runs on one
 * of them, but need not lose a request that begins later.
 */
final class DropCase implements TroubleCase {

    private static final int DROPS = 3;
    private static final int THREADS = 16;
    private static final Duration WARM = Duration.ofMillis(1_500);
    private static final Duration WATCHED = Duration.ofMillis(1_500);

    @Override
    public Finding run(Trial trial) throws Exception {
        Relay relay = new Relay(trial.server().port());
        PoolUnderTest pool = trial.openFull("drop", relay.port());
        Callers callers = new Callers(pool.dataSource(), "select pg_sleep(0.005)");
        callers.start(THREADS, Duration.ZERO);
        Thread.sleep(WARM.toMillis());
        long firstNanos = System.nanoTime();
        long lostBegun = 0;
        int dropped = 0;
        LatencyHistogram latency = new LatencyHistogram();
        for (int i = 0; i < DROPS; i++) {
            dropped += relay.resetHalf();
            long sinceNanos = System.nanoTime();
            Thread.sleep(WATCHED.toMillis());
            lostBegun += callers.outcomes.failedBetween(sinceNanos, System.nanoTime());
            latency.add(callers.outcomes.latency(sinceNanos));
        }
        callers.stop();
        callers.awaitAnswers(Duration.ofSeconds(5));
        long lost = callers.outcomes.lost(firstNanos);
        trial.abandon(pool);
        long lostBegunInAll = lostBegun;
        int droppedInAll = dropped;
        return results -> results.sheet("trouble drop", "half of them reset in use, 3 times", trial.kind())
                .lower("lost", Unit.COUNT, lost)
                .lower("lost, begun after the drop", Unit.COUNT, lostBegunInAll)
                .lower("request p99.9 after", Unit.NANOS, latency.quantileNanos(0.999))
                .lower("longest request", Unit.NANOS, latency.longestNanos())
                .higher("connections reset", Unit.COUNT, droppedInAll);
    }
}
