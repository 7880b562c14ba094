package dev.reservoir.bench.trouble;

import dev.reservoir.bench.Relay;
import dev.reservoir.bench.pools.PoolUnderTest;
import dev.reservoir.bench.report.Unit;
import java.time.Duration;

/**
 * All connections are in use by 16 threads when their packets start to vanish. New connects work. No connection has
 * been idle, so a validation of idle connections does not help.
 */
final class BusyCase implements TroubleCase {

    private static final int THREADS = 16;
    private static final Duration BEFORE = Duration.ofMillis(1_500);
    private static final Duration WATCHED = Duration.ofSeconds(30);

    /** Longest wait for answers at the end. A request without an answer by then is lost. */
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(2);

    /** Answers that were on their way when the packets vanished have arrived by then. */
    private static final Duration SETTLED = Duration.ofMillis(100);

    @Override
    public Finding run(Trial trial) throws Exception {
        Relay relay = new Relay(trial.server().port());
        PoolUnderTest pool = trial.openFull("busy", relay.port());
        Callers callers = new Callers(pool.dataSource(), "select pg_sleep(0.01)");
        callers.start(THREADS, Duration.ZERO);
        Thread.sleep(BEFORE.toMillis());
        relay.vanish();
        long sinceNanos = System.nanoTime();
        long settledNanos = sinceNanos + SETTLED.toNanos();
        Thread.sleep(WATCHED.toMillis());
        Outcomes outcomes = callers.outcomes;
        long served = outcomes.served(settledNanos);
        double firstNanos = outcomes.nanosToFirstServed(sinceNanos, settledNanos);
        callers.stop();
        callers.awaitAnswers(ANSWER_LIMIT);
        long lost = outcomes.lost(settledNanos);
        trial.abandon(pool);
        return results -> results.sheet("trouble busy", "all in use, packets vanish, 30 s", trial.kind())
                .higher("served", Unit.COUNT, served)
                .lower("lost", Unit.COUNT, lost)
                .lower("time to first served", Unit.NANOS, firstNanos);
    }
}
