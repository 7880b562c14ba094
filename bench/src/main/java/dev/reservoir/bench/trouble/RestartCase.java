package dev.reservoir.bench.trouble;

import dev.reservoir.bench.Polling;
import dev.reservoir.bench.pools.PoolUnderTest;
import dev.reservoir.bench.report.Median;
import dev.reservoir.bench.report.Unit;
import dev.reservoir.bench.trouble.TroubleServer.Outage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The server is killed and started again on the same port with the same data while callers send requests. Measures the
 * time from the moment when the server accepts connections again to the first served request.
 */
final class RestartCase {

    private static final int ROUNDS = 5;
    private static final int THREADS = 8;
    private static final Duration BETWEEN_REQUESTS = Duration.ofMillis(100);
    private static final Duration BEFORE = Duration.ofMillis(500);
    private static final Duration AWAY = Duration.ofSeconds(2);
    private static final Duration RECOVERY_LIMIT = Duration.ofSeconds(15);
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(3);

    private final List<Double> recoveriesNanos = new ArrayList<>();
    private long lost;

    TroubleCase.Finding run(Trial trial) throws Exception {
        PoolUnderTest pool = trial.openFull("restart", trial.server().port());
        for (int i = 0; i < ROUNDS; i++) {
            round(trial.server(), new Callers(pool.dataSource(), "select 1"));
        }
        trial.abandon(pool);
        return results -> results.sheet("trouble restart", "killed, back after 2 s, 5 times", trial.kind())
                .lower("lost", Unit.COUNT, lost)
                .lower("time to first served, median", Unit.NANOS, Median.of(recoveriesNanos))
                .lower("time to first served, longest", Unit.NANOS, Collections.max(recoveriesNanos));
    }

    private void round(TroubleServer server, Callers callers) throws Exception {
        callers.start(THREADS, BETWEEN_REQUESTS);
        Thread.sleep(BEFORE.toMillis());
        long beganNanos = System.nanoTime();
        Outage outage = server.restartAfter(AWAY, RECOVERY_LIMIT);
        Outcomes outcomes = callers.outcomes;
        Polling.nanosUntil(outage.acceptingNanos(), RECOVERY_LIMIT, () -> outcomes.served(outage.goneNanos()) > 0);
        Thread.sleep(BEFORE.toMillis());
        callers.stop();
        callers.awaitAnswers(ANSWER_LIMIT);
        // A caller may be served before the probe.
        recoveriesNanos.add(Math.max(0, outcomes.nanosToFirstServed(outage.acceptingNanos(), outage.goneNanos())));
        lost += outcomes.lost(beganNanos);
    }
}
