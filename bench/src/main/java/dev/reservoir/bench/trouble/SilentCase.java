package dev.reservoir.bench.trouble;

import dev.reservoir.bench.Relay;
import dev.reservoir.bench.pools.PoolUnderTest;
import dev.reservoir.bench.report.Unit;
import java.time.Duration;

/**
 * A silent fail-over: all connections are idle when their packets start to vanish, and new connects work. Then one
 * request arrives every second, each from a thread of its own.
 */
final class SilentCase implements TroubleCase {

    private static final int REQUESTS = 20;
    private static final Duration BETWEEN = Duration.ofSeconds(1);

    /** Longest wait for the last request. A request without an answer by then is lost. */
    private static final Duration LAST = Duration.ofSeconds(10);

    @Override
    public Finding run(Trial trial) throws Exception {
        Relay relay = new Relay(trial.server().port());
        PoolUnderTest pool = trial.openFull("silent", relay.port());
        Callers callers = new Callers(pool.dataSource(), "select 1");
        // Longer than any pool trusts an idle connection without validation.
        Thread.sleep(1_000);
        relay.vanish();
        long sinceNanos = System.nanoTime();
        for (int i = 0; i < REQUESTS; i++) {
            callers.send();
            Thread.sleep(BETWEEN.toMillis());
        }
        callers.awaitAnswers(LAST);
        Outcomes outcomes = callers.outcomes;
        long lost = outcomes.lost(sinceNanos);
        int unanswered = outcomes.unanswered();
        double firstNanos = outcomes.nanosToFirstServed(sinceNanos, sinceNanos);
        double longestNanos = outcomes.longestNanos(sinceNanos);
        trial.abandon(pool);
        return results -> results.sheet("trouble silent", "idle, packets vanish, 1 request/s", trial.kind())
                .lower("lost of " + REQUESTS, Unit.COUNT, lost)
                .lower("unanswered", Unit.COUNT, unanswered)
                .lower("time to first served", Unit.NANOS, firstNanos)
                .lower("longest request", Unit.NANOS, longestNanos);
    }
}
