package dev.reservoir.bench.scenario;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.reservoir.bench.Arguments;
import dev.reservoir.bench.Polling;
import dev.reservoir.bench.pools.PoolKind;
import dev.reservoir.bench.report.Results;
import dev.reservoir.bench.report.Unit;
import dev.reservoir.bench.stub.StubDriver;
import dev.reservoir.jdbc.ReservoirDataSource;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/**
 * Very many idle pools in one process, as in an application with a pool for each server and user. Each pool may open
 * ten connections and keeps none or one ready. Measures the threads of the process and the heap after a collection,
 * both as the difference to the same process without pools, and the time of a checkout from each pool in turn.
 */
public final class IdlePoolsPart {
    private static final int MAX_OPEN = 10;
    private static final Duration LIMIT = Duration.ofMinutes(2);

    /** Longer than an idle thread of either pool is kept while there is work for it now and then. */
    private static final long SETTLE_SECONDS = 12;

    private static final int COLLECTIONS = 4;

    private IdlePoolsPart() {}

    /** Takes {@code --pool} and {@code --pools-count}. */
    public static void run(Arguments arguments, Results results) throws Exception {
        PoolKind kind = PoolKind.byId(arguments.text("pool"));
        if (kind != PoolKind.RESERVOIR && kind != PoolKind.HIKARICP) {
            return;
        }
        run(kind, "idle pools", arguments.number("pools-count", 1_000), results);
    }

    /** Measures pools of Reservoir or HikariCP, and writes the figures under this name. */
    public static void run(PoolKind kind, String benchmark, int count, Results results) throws Exception {
        // The first pool loads the classes, which do not count.
        AutoCloseable first = (AutoCloseable) open(kind, "first", 1);
        ((DataSource) first).getConnection().close();
        for (int ready = 0; ready <= 1; ready++) {
            measure(kind, benchmark, count, ready, results);
        }
        first.close();
    }

    private static void measure(PoolKind kind, String benchmark, int count, int ready, Results results)
            throws Exception {
        Before before = before();
        List<DataSource> pools = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            pools.add(open(kind, "idle-" + ready + "-" + i, ready));
        }
        before.measure(benchmark, kind, pools, ready, results);
        for (DataSource pool : pools) {
            ((AutoCloseable) pool).close();
        }
    }

    /** The process before the pools start. Waits for threads of earlier pools to end. */
    public static Before before() throws InterruptedException {
        TimeUnit.SECONDS.sleep(SETTLE_SECONDS);
        return new Before(heapBytes(), threads(), StubDriver.opened());
    }

    /** What the process had before the pools started. */
    public record Before(long heapBytes, int threads, int opened) {
        /** Waits until each pool has its connections and is idle. Writes what the pools add to the process. */
        public void measure(String benchmark, PoolKind kind, List<DataSource> pools, int ready, Results results)
                throws Exception {
            int count = pools.size();
            if (!Polling.until(LIMIT, () -> StubDriver.opened() - opened >= count * ready)) {
                throw new IllegalStateException("opened " + (StubDriver.opened() - opened) + " in " + LIMIT);
            }
            TimeUnit.SECONDS.sleep(SETTLE_SECONDS);
            int added = IdlePoolsPart.threads() - threads;
            double bytes = (double) (IdlePoolsPart.heapBytes() - heapBytes) / count;
            String setting = count + " pools, " + (ready == 0 ? "no connection" : "1 connection each");
            Results.Sheet sheet = results.sheet(benchmark, setting, kind)
                    .lower("threads", Unit.COUNT, added)
                    .lower("heap of each", Unit.BYTES, bytes);
            if (ready > 0) {
                sheet.lower("checkout from each in turn", Unit.NANOS, nanosOfCheckout(pools));
            }
        }
    }

    private static double nanosOfCheckout(List<DataSource> pools) throws SQLException {
        long beganNanos = System.nanoTime();
        for (DataSource pool : pools) {
            try (Connection connection = pool.getConnection()) {
                connection.getAutoCommit();
            }
        }
        return (double) (System.nanoTime() - beganNanos) / pools.size();
    }

    private static DataSource open(PoolKind kind, String name, int ready) {
        if (kind == PoolKind.RESERVOIR) {
            return ReservoirDataSource.builder()
                    .name(name)
                    .url(StubDriver.URL)
                    .driverClassName(StubDriver.class.getName())
                    .maxOpen(MAX_OPEN)
                    .targetReady(ready)
                    .lowWatermark(ready)
                    .initialFillTimeout(Duration.ZERO)
                    .build();
        }
        HikariConfig config = new HikariConfig();
        config.setPoolName(name);
        config.setJdbcUrl(StubDriver.URL);
        config.setDriverClassName(StubDriver.class.getName());
        config.setMaximumPoolSize(MAX_OPEN);
        config.setMinimumIdle(ready);
        // With a positive timeout it would open a connection at the start, which stays for ten minutes.
        config.setInitializationFailTimeout(ready == 0 ? -1 : 1);
        return new HikariDataSource(config);
    }

    private static int threads() {
        return ManagementFactory.getThreadMXBean().getThreadCount();
    }

    private static long heapBytes() throws InterruptedException {
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
            TimeUnit.MILLISECONDS.sleep(200);
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
