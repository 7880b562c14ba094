package dev.reservoir.bench.scenario;

import dev.reservoir.bench.Arguments;
import dev.reservoir.bench.Daemons;
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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * Pools that start together, cold, on one rationed database. Measures how long it takes until every pool has its
 * connections, and the load on the database meanwhile. A pool that fails to start is started again after a second, as a
 * supervisor would do. Pools that know the ration share its permits; the others learn of it only from refused connects.
 */
public final class FleetPart {

    private static final long RESTART_SECONDS = 1;
    private static final int WARM_UP_SIZE = 20;

    private final PoolKind kind;
    private final int pools;
    private final int size;
    private final Duration limit;
    private final RationedDatabase database = RationedDatabase.start("fleet", RationLimits.rationed());
    private final AtomicInteger failedStarts = new AtomicInteger();
    private volatile boolean ended;

    private FleetPart(PoolKind kind, int pools, int size, Duration limit) {
        this.kind = kind;
        this.size = size;
        this.limit = limit;
        this.pools = pools;
    }

    /** Runs one pool alone. Takes {@code --pool}, {@code --size} and {@code --limit-seconds}. */
    public static void runFill(Arguments arguments, Results results)
            throws IOException, SQLException, InterruptedException {
        run("fill", 1, arguments.number("size", 200), arguments.number("limit-seconds", 30), arguments, results);
    }

    /** Takes {@code --pool}, {@code --pools-count}, {@code --size} and {@code --limit-seconds}. */
    public static void runFleet(Arguments arguments, Results results)
            throws IOException, SQLException, InterruptedException {
        int pools = arguments.number("pools-count", 10);
        run("fleet", pools, arguments.number("size", 200), arguments.number("limit-seconds", 60), arguments, results);
    }

    private static void run(
            String benchmark, int pools, int size, int limitSeconds, Arguments arguments, Results results)
            throws IOException, SQLException, InterruptedException {
        PoolKind kind = PoolKind.byId(arguments.text("pool"));
        FleetPart part = new FleetPart(kind, pools, size, Duration.ofSeconds(limitSeconds));
        part.warmUp();
        double fullNanos = part.fill();
        RationCounts counts = part.database.counts();
        results.sheet(benchmark, (pools == 1 ? "1 pool of " : pools + " pools of ") + size + ", 100/s", kind)
                .lower("time to full", Unit.NANOS, fullNanos)
                .lower("refused", Unit.COUNT, counts.refused())
                .lower("failed starts", Unit.COUNT, part.failedStarts.get())
                .lower("most open", Unit.COUNT, counts.openMax());
    }

    /** Loads the pool's classes, so that this does not delay the first connects of the case. */
    private void warmUp() throws SQLException, InterruptedException {
        try (RationedDatabase generous = RationedDatabase.start("warm-up", RationLimits.generous());
                PoolUnderTest pool = kind.open(PoolSettings.rationed("warm-up", generous, WARM_UP_SIZE))) {
            Polling.until(Duration.ofSeconds(5), () -> generous.allHave(List.of("warm-up"), WARM_UP_SIZE));
            pool.dataSource().getConnection().close();
        }
    }

    private double fill() throws InterruptedException {
        List<String> clients =
                IntStream.range(0, pools).mapToObj(i -> "pool-" + i).toList();
        long beganNanos = System.nanoTime();
        for (String client : clients) {
            Daemons.start("start-" + client, () -> start(client));
        }
        double fullNanos = Polling.nanosUntil(beganNanos, limit, () -> database.allHave(clients, size));
        ended = true;
        return fullNanos;
    }

    private void start(String client) {
        while (!ended) {
            try {
                // The pool is never closed, because the process ends with the case and some pools take long to close.
                kind.open(PoolSettings.rationed(client, database, size).withRation(RationLimits.rationed()));
                return;
            } catch (SQLException | RuntimeException e) {
                failedStarts.incrementAndGet();
                if (!pauseBeforeRestart()) {
                    return;
                }
            }
        }
    }

    private static boolean pauseBeforeRestart() {
        try {
            TimeUnit.SECONDS.sleep(RESTART_SECONDS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
