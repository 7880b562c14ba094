package dev.reservoir.bench.contended;

import dev.reservoir.bench.Arguments;
import dev.reservoir.bench.pools.PoolKind;
import dev.reservoir.bench.pools.PoolUnderTest;
import dev.reservoir.bench.pools.StubPools;
import dev.reservoir.bench.report.LatencyHistogram;
import dev.reservoir.bench.report.Results;
import dev.reservoir.bench.report.Unit;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;

/**
 * A server under load: a fixed number of requests run at the same time. Each one runs on a new virtual thread that
 * acquires once, holds and releases. A request that ends starts the next one, so that the number stays constant and no
 * single producer limits it.
 */
public final class RequestsPart {

    private final DataSource pool;
    private final ExecutorService executor;
    private final int requests;
    private final LongAdder served = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LatencyHistogram waits = new LatencyHistogram();
    private final CountDownLatch ended;
    private volatile boolean stopped;

    private RequestsPart(DataSource pool, ExecutorService executor, int requests) {
        this.pool = pool;
        this.executor = executor;
        this.requests = requests;
        this.ended = new CountDownLatch(requests);
    }

    /** Takes {@code --pool}, {@code --threads} (requests at the same time) and {@code --seconds}. */
    public static void run(Arguments arguments, Results results)
            throws IOException, SQLException, InterruptedException {
        PoolKind kind = PoolKind.byId(arguments.text("pool"));
        int requests = arguments.number("threads", 1_000);
        int seconds = arguments.number("seconds", 6);
        ExecutorService executor = VirtualThreads.newExecutor();
        try (PoolUnderTest pool = StubPools.openFull(kind, "requests", ContendedPart.LOOP_CONNECTIONS)) {
            new RequestsPart(pool.dataSource(), executor, requests).serve(ContendedPart.LOOP_WARM_UP_SECONDS);
            RequestsPart measured = new RequestsPart(pool.dataSource(), executor, requests);
            measured.serve(seconds);
            results.sheet("requests", requests + " in flight, pool " + ContendedPart.LOOP_CONNECTIONS, kind)
                    .higher("throughput", Unit.PER_SECOND, measured.served.sum() / (double) seconds)
                    .lower("wait p99.9", Unit.NANOS, measured.waits.quantileNanos(0.999))
                    .lower("longest wait", Unit.NANOS, measured.waits.longestNanos())
                    .lower("failed", Unit.COUNT, measured.failed.sum());
        }
        executor.shutdown();
    }

    private void serve(int seconds) throws InterruptedException {
        for (int i = 0; i < requests; i++) {
            executor.execute(this::request);
        }
        TimeUnit.SECONDS.sleep(seconds);
        stopped = true;
        if (!ended.await(60, TimeUnit.SECONDS)) {
            throw new IllegalStateException(ended.getCount() + " requests did not end within 60 s");
        }
    }

    private void request() {
        long askedNanos = System.nanoTime();
        try (Connection connection = pool.getConnection()) {
            waits.record(System.nanoTime() - askedNanos);
            LockSupport.parkNanos(connection, ContendedPart.LOOP_HOLD_NANOS);
            if (!stopped) {
                served.increment();
            }
        } catch (SQLException e) {
            failed.increment();
        }
        if (stopped) {
            ended.countDown();
        } else {
            executor.execute(this::request);
        }
    }
}
