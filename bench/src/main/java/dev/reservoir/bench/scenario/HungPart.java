package dev.reservoir.bench.scenario;

import dev.reservoir.bench.Arguments;
import dev.reservoir.bench.Daemons;
import dev.reservoir.bench.Polling;
import dev.reservoir.bench.pools.PoolKind;
import dev.reservoir.bench.pools.PoolSettings;
import dev.reservoir.bench.pools.PoolUnderTest;
import dev.reservoir.bench.rationed.RationLimits;
import dev.reservoir.bench.rationed.RationedDatabase;
import dev.reservoir.bench.report.Results;
import dev.reservoir.bench.report.Unit;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A fill in which the tenth connect hangs for 30 s. As many workers as connections use the pool with an acquire timeout
 * of 250 ms, the shortest that HikariCP allows. Measures the time until the first connection, all but one, and all of
 * them are open. Also measures the workers' checkouts after the pool has handed out its first connection.
 */
public final class HungPart {

    private static final int HUNG_ATTEMPT = 10;
    private static final Duration HANG_TIME = Duration.ofSeconds(30);
    private static final Duration OPEN_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration ACQUIRE_TIMEOUT = Duration.ofMillis(250);
    private static final Duration HOLD = Duration.ofMillis(50);
    private static final Duration LIMIT = Duration.ofSeconds(40);
    private static final long WORK_SECONDS = 2;
    private static final String CLIENT = "hung";

    private final PoolKind kind;
    private final int size;
    private final RationedDatabase database = RationedDatabase.start(CLIENT, RationLimits.rationed());
    private final long beganNanos = System.nanoTime();
    private volatile double firstNanos = Double.POSITIVE_INFINITY;
    private volatile @Nullable Workers workers;

    private HungPart(PoolKind kind, int size) {
        this.kind = kind;
        this.size = size;
    }

    /** Takes {@code --pool} and {@code --size}. */
    public static void run(Arguments arguments, Results results) throws IOException, InterruptedException {
        HungPart part = new HungPart(PoolKind.byId(arguments.text("pool")), arguments.number("size", 50));
        part.database.hang(HUNG_ATTEMPT, HANG_TIME);
        Daemons.start("starter", part::start);
        double allButOneNanos = part.nanosUntilOpen(part.size - 1);
        double allNanos = part.nanosUntilOpen(part.size);
        Polling.nanosUntil(part.beganNanos, LIMIT, () -> part.workers != null);
        TimeUnit.SECONDS.sleep(WORK_SECONDS);
        part.write(results, allButOneNanos, allNanos);
    }

    private double nanosUntilOpen(int connections) throws InterruptedException {
        return Polling.nanosUntil(beganNanos, LIMIT, () -> database.allHave(List.of(CLIENT), connections));
    }

    private void start() {
        try {
            // The pool is never closed, because the process ends with the case.
            PoolUnderTest pool = kind.open(PoolSettings.rationed(CLIENT, database, size)
                    .withAcquireTimeout(ACQUIRE_TIMEOUT)
                    .withOpenTimeout(OPEN_TIMEOUT)
                    .withRation(RationLimits.rationed()));
            if (firstConnection(pool)) {
                Workers started = new Workers(pool.dataSource(), size, HOLD);
                workers = started;
                started.measure();
                started.start();
            }
        } catch (SQLException | RuntimeException e) {
            System.err.println(kind.title() + " did not start: " + e);
        }
    }

    private boolean firstConnection(PoolUnderTest pool) {
        while (System.nanoTime() - beganNanos < LIMIT.toNanos()) {
            try {
                pool.dataSource().getConnection().close();
                firstNanos = System.nanoTime() - beganNanos;
                return true;
            } catch (SQLException e) {
                Thread.onSpinWait(); // the attempt itself has waited
            }
        }
        return false;
    }

    private void write(Results results, double allButOneNanos, double allNanos)
            throws IOException, InterruptedException {
        Results.Sheet sheet = results.sheet("hung", "1 of " + size + " connects hangs 30 s", kind)
                .lower("time to first", Unit.NANOS, firstNanos)
                .lower("time to all but one", Unit.NANOS, allButOneNanos)
                .lower("time to full", Unit.NANOS, allNanos);
        Workers used = workers;
        if (used != null) {
            used.stop();
            sheet.lower("failed acquires", Unit.COUNT, used.failedAcquires.sum())
                    .lower("acquire p99.9", Unit.NANOS, used.acquires.quantileNanos(0.999))
                    .lower("longest acquire", Unit.NANOS, used.acquires.longestNanos());
        }
    }
}
