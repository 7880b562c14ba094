package dev.reservoir.bench.contended;

import dev.reservoir.bench.Arguments;
import dev.reservoir.bench.contended.CheckoutLoops.Outcome;
import dev.reservoir.bench.pools.PoolKind;
import dev.reservoir.bench.pools.PoolUnderTest;
import dev.reservoir.bench.pools.StubPools;
import dev.reservoir.bench.report.Results;
import dev.reservoir.bench.report.Unit;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * More threads than connections: each thread acquires, holds and releases in a loop. Measures checkouts per second and
 * per second of processor time, which depends less on what else the machine does. Also measures waits, and how often
 * the thread with the fewest checkouts was served. A thread that still waits at the end counts with its wait so far, so
 * that starvation shows.
 */
public final class ContendedPart {

    /**
     * Time for the just-in-time compiler. It competes with 32 threads that always run, and on two processors it was
     * seen to finish after three seconds.
     */
    private static final int WARM_UP_SECONDS = 5;

    /** Connections of the cases with thousands of virtual threads. */
    static final int LOOP_CONNECTIONS = 32;

    /**
     * Time for the just-in-time compiler. On two processors it takes up to eight seconds, and it competes with the
     * measured threads meanwhile. Then the slowest thousandth of the waits shows the compiler, not the pool.
     */
    static final int LOOP_WARM_UP_SECONDS = 10;

    static final long LOOP_HOLD_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

    private ContendedPart() {}

    /**
     * A few threads more than connections, with several holds. Each iteration is one value of the results. The script
     * starts a JVM for each pool and round, so that the spread between JVMs shows, too.
     *
     * <p>Takes {@code --pool}, {@code --case} (platform or virtual), {@code --threads}, {@code --size}, {@code --holds}
     * (in microseconds), {@code --iterations} and {@code --seconds} of each iteration.
     */
    public static void run(Arguments arguments, Results results)
            throws IOException, SQLException, InterruptedException {
        PoolKind kind = PoolKind.byId(arguments.text("pool"));
        int threads = arguments.number("threads", 32);
        int size = arguments.number("size", 8);
        int iterations = arguments.number("iterations", 3);
        int seconds = arguments.number("seconds", 1);
        String threadKind = arguments.text("case", "platform");
        if (!List.of("platform", "virtual").contains(threadKind)) {
            throw new IllegalArgumentException("case = " + threadKind + ", allowed: platform, virtual");
        }
        for (int holdMicros : arguments.numbers("holds", "0,10,100,1000")) {
            String setting = threads + " " + threadKind + " threads, pool " + size + ", hold " + holdMicros + " us";
            try (PoolUnderTest pool = StubPools.openFull(kind, "contended", size)) {
                CheckoutLoops loops = new CheckoutLoops(
                        pool.dataSource(),
                        threads,
                        threadKind.equals("virtual"),
                        TimeUnit.MICROSECONDS.toNanos(holdMicros));
                loops.run(WARM_UP_SECONDS);
                for (int i = 0; i < iterations; i++) {
                    Outcome outcome = loops.run(seconds);
                    results.sheet("contended", setting, kind)
                            .higher("throughput", Unit.PER_SECOND, outcome.perSecond())
                            .higher("per processor second", Unit.PER_SECOND, outcome.perProcessorSecond())
                            .lower("wait p99.9", Unit.NANOS, outcome.waits().quantileNanos(0.999))
                            .higher("smallest share of the mean", Unit.FACTOR, outcome.smallestShare());
                }
            }
        }
    }

    /** Thousands of virtual threads. Takes {@code --pool}, {@code --threads} and {@code --seconds}. */
    public static void runLoop(Arguments arguments, Results results)
            throws IOException, SQLException, InterruptedException {
        PoolKind kind = PoolKind.byId(arguments.text("pool"));
        int threads = arguments.number("threads", 1_000);
        try (PoolUnderTest pool = StubPools.openFull(kind, "loop", LOOP_CONNECTIONS)) {
            CheckoutLoops loops = new CheckoutLoops(pool.dataSource(), threads, true, LOOP_HOLD_NANOS);
            loops.run(LOOP_WARM_UP_SECONDS);
            Outcome outcome = loops.run(arguments.number("seconds", 6));
            long p999Nanos = outcome.waits().quantileNanos(0.999);
            double fairWaitNanos = threads / outcome.perSecond() * 1e9;
            results.sheet("loop", threads + " virtual threads, pool " + LOOP_CONNECTIONS, kind)
                    .higher("throughput", Unit.PER_SECOND, outcome.perSecond())
                    .lower("never served", Unit.COUNT, outcome.neverServed())
                    .higher("smallest share of the mean", Unit.FACTOR, outcome.smallestShare())
                    .lower("largest share of the mean", Unit.FACTOR, outcome.largestShare())
                    .lower("wait p99.9", Unit.NANOS, p999Nanos)
                    .lower("p99.9 by fair wait", Unit.FACTOR, p999Nanos / fairWaitNanos)
                    .lower("longest wait", Unit.NANOS, outcome.waits().longestNanos());
        }
    }
}
