package dev.reservoir.bench.micro;

import dev.reservoir.bench.Arguments;
import dev.reservoir.bench.pools.PoolKind;
import dev.reservoir.bench.pools.PoolUnderTest;
import dev.reservoir.bench.pools.StubPools;
import dev.reservoir.bench.report.Results;
import dev.reservoir.bench.report.Unit;
import dev.reservoir.bench.virtual.VirtualThreads;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/**
 * More threads than connections: each thread acquires, holds and releases in a loop. Measures checkouts per second, and
 * how often the thread with the fewest checkouts was served, as a share of the mean. One JVM runs all hold times with
 * one pool. The script starts a JVM for each pool and round, so that the spread between runs shows.
 */
public final class ContendedPart {

    private static final int WARM_UP_SECONDS = 1;
    private static final int END_SECONDS_MAX = 60;

    private final DataSource pool;
    private final int threads;
    private final boolean virtual;

    private ContendedPart(DataSource pool, int threads, boolean virtual) {
        this.pool = pool;
        this.threads = threads;
        this.virtual = virtual;
    }

    /**
     * Takes {@code --pool}, {@code --case} (platform or virtual), {@code --threads}, {@code --size}, {@code --holds}
     * (in microseconds) and {@code --seconds}.
     */
    public static void run(Arguments arguments, Results results)
            throws IOException, SQLException, InterruptedException {
        PoolKind kind = PoolKind.byId(arguments.text("pool"));
        int threads = arguments.number("threads", 32);
        int size = arguments.number("size", 8);
        int seconds = arguments.number("seconds", 2);
        String threadKind = arguments.text("case", "platform");
        if (!List.of("platform", "virtual").contains(threadKind)) {
            throw new IllegalArgumentException("case = " + threadKind + ", allowed: platform, virtual");
        }
        for (int holdMicros : arguments.numbers("holds", "0,10,100,1000")) {
            try (PoolUnderTest pool = StubPools.openFull(kind, "contended", size)) {
                ContendedPart part = new ContendedPart(pool.dataSource(), threads, threadKind.equals("virtual"));
                part.loop(holdMicros, WARM_UP_SECONDS);
                Outcome outcome = part.loop(holdMicros, seconds);
                results.sheet(
                                "contended",
                                threads + " " + threadKind + " threads, pool " + size + ", hold " + holdMicros + " us",
                                kind)
                        .higher("throughput", Unit.PER_SECOND, outcome.perSecond())
                        .higher("smallest share of the mean", Unit.FACTOR, outcome.smallestShare());
            }
        }
    }

    /** Runs all threads for this many seconds. */
    private Outcome loop(int holdMicros, int seconds) throws InterruptedException {
        CountDownLatch start = new CountDownLatch(1);
        List<ContendingThread> all = IntStream.range(0, threads)
                .mapToObj(i -> new ContendingThread(pool, TimeUnit.MICROSECONDS.toNanos(holdMicros), start))
                .toList();
        ExecutorService executor = virtual ? VirtualThreads.newExecutor() : Executors.newFixedThreadPool(threads);
        all.forEach(executor::execute);
        long beganNanos = System.nanoTime();
        start.countDown();
        TimeUnit.SECONDS.sleep(seconds);
        all.forEach(ContendingThread::stop);
        long tookNanos = System.nanoTime() - beganNanos;
        executor.shutdown();
        if (!executor.awaitTermination(END_SECONDS_MAX, TimeUnit.SECONDS)) {
            throw new IllegalStateException("the threads did not end within " + END_SECONDS_MAX + " s");
        }
        return new Outcome(all.stream().map(ContendingThread::served).toList(), tookNanos);
    }

    private record Outcome(List<Long> shares, long tookNanos) {

        double perSecond() {
            return served() * 1e9 / tookNanos;
        }

        double smallestShare() {
            return shares.stream().mapToLong(n -> n).min().orElse(0) * shares.size() / served();
        }

        private double served() {
            return shares.stream().mapToLong(n -> n).sum();
        }
    }
}
