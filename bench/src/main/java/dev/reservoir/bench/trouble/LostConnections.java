package dev.reservoir.bench.trouble;

import dev.reservoir.bench.pools.PoolUnderTest;
import dev.reservoir.bench.report.LatencyHistogram;
import dev.reservoir.bench.report.Unit;
import dev.reservoir.bench.trouble.TroubleCase.Finding;
import dev.reservoir.testkit.FaultyProxy;
import java.time.Duration;

/** Cases in which a pool loses connections while the server goes on and new connects work. */
final class LostConnections {
    private static final int THREADS = 16;

    /** Time in which the callers use the pool before anything happens. */
    private static final Duration BEFORE = Duration.ofMillis(1_500);

    private static final int SILENT_REQUESTS = 20;
    private static final Duration BUSY_WATCHED = Duration.ofSeconds(30);
    private static final int IDLE_ROUNDS = 5;
    private static final int IDLE_EACH = 4;
    private static final int DROPS = 3;

    private LostConnections() {}

    /**
     * A silent fail-over: all connections are idle when their packets start to vanish, and new connects work. Then one
     * request arrives every second, each from a thread of its own. A request without an answer ten seconds after the
     * last one is lost.
     */
    static Finding silent(Trial trial) throws Exception {
        FaultyProxy relay = FaultyProxy.to(trial.server().port());
        PoolUnderTest pool = trial.openFull("silent", relay.port());
        Callers callers = new Callers(pool.dataSource(), "select 1");
        // Longer than any pool trusts an idle connection without validation.
        Thread.sleep(1_000);
        relay.loseOpen();
        long sinceNanos = System.nanoTime();
        for (int i = 0; i < SILENT_REQUESTS; i++) {
            callers.send();
            Thread.sleep(1_000);
        }
        callers.awaitAnswers(Duration.ofSeconds(10));
        Outcomes outcomes = callers.outcomes;
        long lost = outcomes.lost(sinceNanos);
        int unanswered = outcomes.unanswered();
        double firstNanos = outcomes.nanosToFirstServed(sinceNanos, sinceNanos);
        double longestNanos = outcomes.longestNanos(sinceNanos);
        trial.abandon(pool);
        return results -> results.sheet("trouble silent", "idle, packets vanish, 1 request/s", trial.kind())
                .lower("lost of " + SILENT_REQUESTS, Unit.COUNT, lost)
                .lower("unanswered", Unit.COUNT, unanswered)
                .lower("time to first served", Unit.NANOS, firstNanos)
                .lower("longest request", Unit.NANOS, longestNanos);
    }

    /**
     * All connections are in use by 16 threads when their packets start to vanish. New connects work. No connection has
     * been idle, so a validation of idle connections does not help. A request without an answer two seconds after the
     * end is lost.
     */
    static Finding busy(Trial trial) throws Exception {
        FaultyProxy relay = FaultyProxy.to(trial.server().port());
        PoolUnderTest pool = trial.openFull("busy", relay.port());
        Callers callers = new Callers(pool.dataSource(), "select pg_sleep(0.01)");
        callers.start(THREADS, Duration.ZERO);
        Thread.sleep(BEFORE.toMillis());
        relay.loseOpen();
        long sinceNanos = System.nanoTime();
        // Answers that were on their way when the packets vanished have arrived by then.
        long settledNanos = sinceNanos + Duration.ofMillis(100).toNanos();
        Thread.sleep(BUSY_WATCHED.toMillis());
        Outcomes outcomes = callers.outcomes;
        long served = outcomes.served(settledNanos);
        double firstNanos = outcomes.nanosToFirstServed(sinceNanos, settledNanos);
        callers.stop();
        callers.awaitAnswers(Duration.ofSeconds(2));
        long lost = outcomes.lost(settledNanos);
        trial.abandon(pool);
        return results -> results.sheet("trouble busy", "all in use, packets vanish, 30 s", trial.kind())
                .higher("served", Unit.COUNT, served)
                .lower("lost", Unit.COUNT, lost)
                .lower("time to first served", Unit.NANOS, firstNanos);
    }

    /**
     * The server ends all idle sessions after a pause, as an administrator, an idle timeout or a proxy does. Then 64
     * requests arrive at once, on 16 threads.
     */
    static Finding idleKilled(Trial trial) throws Exception {
        String name = "idle-killed";
        PoolUnderTest pool = trial.openFull(name, trial.server().port());
        long lost = 0;
        int killed = 0;
        LatencyHistogram latency = new LatencyHistogram();
        for (int i = 0; i < IDLE_ROUNDS; i++) {
            Thread.sleep(1_000);
            killed += trial.server().terminateIdle(name);
            Callers callers = new Callers(pool.dataSource(), "select 1");
            long sinceNanos = System.nanoTime();
            callers.burst(THREADS, IDLE_EACH, Duration.ofSeconds(10));
            lost += callers.outcomes.lost(sinceNanos);
            latency.add(callers.outcomes.latency(sinceNanos));
        }
        trial.abandon(pool);
        long lostInAll = lost;
        int killedInAll = killed;
        return results -> results.sheet("trouble idle", "idle ones killed, 64 requests, 5 times", trial.kind())
                .lower("lost of " + IDLE_ROUNDS * THREADS * IDLE_EACH, Unit.COUNT, lostInAll)
                .lower("longest request", Unit.NANOS, latency.longestNanos())
                .higher("connections killed", Unit.COUNT, killedInAll);
    }

    /**
     * Half of the connections are reset at once while 16 threads use the pool. Every pool loses a request that runs on
     * one of them, but need not lose a request that begins later.
     */
    static Finding dropped(Trial trial) throws Exception {
        FaultyProxy relay = FaultyProxy.to(trial.server().port());
        PoolUnderTest pool = trial.openFull("drop", relay.port());
        Callers callers = new Callers(pool.dataSource(), "select pg_sleep(0.005)");
        callers.start(THREADS, Duration.ZERO);
        Thread.sleep(BEFORE.toMillis());
        long firstNanos = System.nanoTime();
        long lostBegun = 0;
        int dropped = 0;
        LatencyHistogram latency = new LatencyHistogram();
        for (int i = 0; i < DROPS; i++) {
            dropped += relay.resetHalf();
            long sinceNanos = System.nanoTime();
            Thread.sleep(1_500);
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
