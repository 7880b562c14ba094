package dev.reservoir.bench.virtual;

import dev.reservoir.bench.Arguments;
import dev.reservoir.bench.pools.PoolKind;
import dev.reservoir.bench.pools.PoolUnderTest;
import dev.reservoir.bench.pools.StubPools;
import dev.reservoir.bench.report.LatencyHistogram;
import dev.reservoir.bench.report.Results;
import dev.reservoir.bench.report.Unit;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Many more virtual threads than connections acquire, hold and release in a loop. Measures how often each thread is
 * served. A thread that still waits at the end counts with its wait so far, so that starvation shows.
 */
public final class LoopPart {

    static final int CONNECTIONS = 32;
    static final int WARM_UP_SECONDS = 2;

    private final PoolUnderTest pool;
    private final int threads;

    private LoopPart(PoolUnderTest pool, int threads) {
        this.pool = pool;
        this.threads = threads;
    }

    /** Takes {@code --pool}, {@code --threads} and {@code --seconds}. */
    public static void run(Arguments arguments, Results results)
            throws IOException, SQLException, InterruptedException {
        PoolKind kind = PoolKind.byId(arguments.text("pool"));
        int threads = arguments.number("threads", 1_000);
        int seconds = arguments.number("seconds", 6);
        try (PoolUnderTest pool = StubPools.openFull(kind, "loop", CONNECTIONS)) {
            LoopPart part = new LoopPart(pool, threads);
            part.loop(WARM_UP_SECONDS, new LatencyHistogram());
            LatencyHistogram waits = new LatencyHistogram();
            List<Long> shares = part.loop(seconds, waits);
            part.write(
                    results.sheet("loop", threads + " virtual threads, pool " + CONNECTIONS, kind),
                    shares,
                    waits,
                    seconds);
        }
    }

    private void write(Results.Sheet sheet, List<Long> shares, LatencyHistogram waits, int seconds) throws IOException {
        double served = shares.stream().mapToLong(Long::longValue).sum();
        double perSecond = served / seconds;
        double mean = served / threads;
        double fairWaitNanos = threads / perSecond * 1e9;
        sheet.higher("throughput", Unit.PER_SECOND, perSecond)
                .lower(
                        "never served",
                        Unit.COUNT,
                        shares.stream().filter(n -> n == 0).count())
                .higher(
                        "smallest share of the mean",
                        Unit.FACTOR,
                        shares.stream().mapToLong(n -> n).min().orElse(0) / mean)
                .lower(
                        "largest share of the mean",
                        Unit.FACTOR,
                        shares.stream().mapToLong(n -> n).max().orElse(0) / mean)
                .lower("wait p99.9", Unit.NANOS, waits.quantileNanos(0.999))
                .lower("p99.9 by fair wait", Unit.FACTOR, waits.quantileNanos(0.999) / fairWaitNanos)
                .lower("longest wait", Unit.NANOS, waits.longestNanos());
    }

    /** Runs all threads for this many seconds. Returns how often each was served. */
    private List<Long> loop(int seconds, LatencyHistogram waits) throws InterruptedException {
        CountDownLatch gate = new CountDownLatch(1);
        List<LoopingThread> loopers = IntStream.range(0, threads)
                .mapToObj(i -> new LoopingThread(pool.dataSource(), waits, gate))
                .toList();
        ExecutorService executor = VirtualThreads.newExecutor();
        loopers.forEach(executor::execute);
        gate.countDown();
        TimeUnit.SECONDS.sleep(seconds);
        List<Long> shares = loopers.stream().map(LoopingThread::stop).toList();
        executor.shutdown();
        if (!executor.awaitTermination(60, TimeUnit.SECONDS)) {
            throw new IllegalStateException("the virtual threads did not end within 60 s");
        }
        return shares;
    }
}
