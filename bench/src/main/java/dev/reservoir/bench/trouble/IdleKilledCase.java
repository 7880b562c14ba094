package dev.reservoir.bench.trouble;

import dev.reservoir.bench.pools.PoolUnderTest;
import dev.reservoir.bench.report.LatencyHistogram;
import dev.reservoir.bench.report.Unit;
import java.time.Duration;

/**
 * The server ends all idle sessions after a pause, as an administrator, an idle timeout or a proxy does. Then 64
 * requests arrive at once, on 16 threads.
 */
final class IdleKilledCase implements TroubleCase {

    private static final int ROUNDS = 5;
    private static final int THREADS = 16;
    private static final int EACH = 4;
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final Duration LIMIT = Duration.ofSeconds(10);

    @Override
    public Finding run(Trial trial) throws Exception {
        String name = "idle-killed";
        PoolUnderTest pool = trial.openFull(name, trial.server().port());
        long lost = 0;
        int killed = 0;
        LatencyHistogram latency = new LatencyHistogram();
        for (int i = 0; i < ROUNDS; i++) {
            Thread.sleep(PAUSE.toMillis());
            killed += trial.server().terminateIdle(name);
            Callers callers = new Callers(pool.dataSource(), "select 1");
            long sinceNanos = System.nanoTime();
            callers.burst(THREADS, EACH, LIMIT);
            lost += callers.outcomes.lost(sinceNanos);
            latency.add(callers.outcomes.latency(sinceNanos));
        }
        trial.abandon(pool);
        long lostInAll = lost;
        int killedInAll = killed;
        return results -> results.sheet("trouble idle", "idle ones killed, 64 requests, 5 times", trial.kind())
                .lower("lost of " + ROUNDS * THREADS * EACH, Unit.COUNT, lostInAll)
                .lower("longest request", Unit.NANOS, latency.longestNanos())
                .higher("connections killed", Unit.COUNT, killedInAll);
    }
}
