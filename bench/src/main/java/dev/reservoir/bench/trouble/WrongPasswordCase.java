package dev.reservoir.bench.trouble;

import dev.reservoir.bench.pools.PoolUnderTest;
import dev.reservoir.bench.report.Unit;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The password is wrong. Measures how long it takes until the application gets an error, from the start of the pool or
 * from the first request. Also counts the logins that the server has refused by then and some seconds later.
 */
final class WrongPasswordCase {

    private static final Duration TOLD_LIMIT = Duration.ofSeconds(70);
    private static final Duration LATER = Duration.ofSeconds(10);

    private WrongPasswordCase() {}

    static TroubleCase.Finding run(Trial trial) throws Exception {
        String url = trial.server().urlWithWrongPassword();
        long beganNanos = System.nanoTime();
        AtomicReference<@Nullable PoolUnderTest> opened = new AtomicReference<>();
        double toldNanos = nanosUntilTold(trial, url, beganNanos, opened);
        long refused = trial.server().refusedLogins();
        TimeUnit.SECONDS.sleep(LATER.toSeconds());
        long refusedLater = trial.server().refusedLogins();
        PoolUnderTest pool = opened.get();
        if (pool != null) {
            trial.abandon(pool);
        }
        return results -> results.sheet("trouble password", "the password is wrong", trial.kind())
                .lower("time until told", Unit.NANOS, toldNanos)
                .lower("logins refused until then", Unit.COUNT, refused)
                .lower("logins refused 10 s later", Unit.COUNT, refusedLater);
    }

    private static double nanosUntilTold(
            Trial trial, String url, long beganNanos, AtomicReference<@Nullable PoolUnderTest> opened)
            throws Exception {
        try {
            return Trial.within(TOLD_LIMIT, () -> {
                try {
                    PoolUnderTest pool = trial.open("password", url);
                    opened.set(pool);
                    pool.dataSource().getConnection().close();
                    // The server has accepted the password, so the application never gets an error.
                    return Double.POSITIVE_INFINITY;
                } catch (SQLException | RuntimeException e) {
                    return (double) (System.nanoTime() - beganNanos);
                }
            });
        } catch (TimeoutException e) {
            return Double.POSITIVE_INFINITY;
        }
    }
}
