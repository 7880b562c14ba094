package dev.reservoir.bench.scenario;

import dev.reservoir.bench.Arguments;
import dev.reservoir.bench.Polling;
import dev.reservoir.bench.pools.PoolKind;
import dev.reservoir.bench.pools.PoolSettings;
import dev.reservoir.bench.pools.PoolUnderTest;
import dev.reservoir.bench.rationed.RationCounts;
import dev.reservoir.bench.rationed.RationLimits;
import dev.reservoir.bench.rationed.RationedDatabase;
import dev.reservoir.bench.report.Results;
import dev.reservoir.bench.report.Unit;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/**
 * Connections that were opened together expire together while all of them are in use. There are as many workers as
 * connections, and each worker always holds one. The pool fills without a ration, so that the connections are opened
 * close together; then the ration applies. Measures the smallest number of usable connections while all of them are
 * replaced.
 *
 * <p>The lifetime is 30 s because HikariCP allows no shorter one. Calls on a connection fail in the database when it is
 * a fifth older than that.
 */
public final class ExpiryPart {

    private static final Duration LIFETIME = Duration.ofSeconds(30);
    private static final Duration MAX_AGE = Duration.ofSeconds(36);
    private static final Duration MEASURED = Duration.ofSeconds(40);
    private static final Duration HOLD = Duration.ofMillis(50);
    private static final Duration FILL_LIMIT = Duration.ofSeconds(20);
    private static final long SAMPLE_MILLIS = 5;

    private ExpiryPart() {}

    /** Takes {@code --pool} and {@code --size}. */
    public static void run(Arguments arguments, Results results)
            throws IOException, SQLException, InterruptedException {
        PoolKind kind = PoolKind.byId(arguments.text("pool"));
        int size = arguments.number("size", 200);
        RationedDatabase database = RationedDatabase.start("expiry", RationLimits.generous());
        RationLimits rationed = RationLimits.rationed().withMaxAge(MAX_AGE);
        // The pool is never closed, because the process ends with the case.
        PoolUnderTest pool = kind.open(PoolSettings.rationed("expiry", database, size)
                .withLifetime(LIFETIME)
                .withRation(rationed));
        if (!Polling.until(FILL_LIMIT, () -> database.allHave(List.of("expiry"), size))) {
            throw new IllegalStateException(
                    kind.title() + " had " + database.counts().open() + " of " + size + " after " + FILL_LIMIT);
        }
        database.limit(rationed);
        Workers workers = new Workers(pool.dataSource(), size, HOLD);
        workers.start();
        Polling.until(Duration.ofSeconds(5), () -> workers.holding() >= size - 1);

        workers.measure();
        RationCounts before = database.counts();
        int fewestUsable = watch(database);
        RationCounts after = database.counts();
        workers.stop();
        results.sheet("expiry", size + " in use, born together, 100/s", kind)
                .higher("fewest usable", Unit.COUNT, Math.min(fewestUsable, after.openMin()))
                .lower("refused", Unit.COUNT, after.refused() - before.refused())
                .lower("most open", Unit.COUNT, after.openMax())
                .higher("replaced", Unit.COUNT, after.opened() - before.opened())
                .lower("acquire p99.9", Unit.NANOS, workers.acquires.quantileNanos(0.999))
                .lower("longest acquire", Unit.NANOS, workers.acquires.longestNanos())
                .lower("failed acquires", Unit.COUNT, workers.failedAcquires.sum())
                .lower("failed statements", Unit.COUNT, workers.failedStatements.sum());
    }

    /** The database counts closes as they happen. Only polling finds connections that become too old. */
    private static int watch(RationedDatabase database) throws InterruptedException {
        database.markLow();
        long beganNanos = System.nanoTime();
        int fewest = Integer.MAX_VALUE;
        while (System.nanoTime() - beganNanos < MEASURED.toNanos()) {
            fewest = Math.min(fewest, database.usable());
            Thread.sleep(SAMPLE_MILLIS);
        }
        return fewest;
    }
}
