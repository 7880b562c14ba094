package dev.reservoir.bench.dsql;

import dev.reservoir.bench.Jvm;
import dev.reservoir.bench.dsql.Emulated.Counted;
import dev.reservoir.bench.dsql.Emulated.Ration;
import dev.reservoir.bench.pools.PoolKind;
import dev.reservoir.bench.report.Results;
import dev.reservoir.bench.report.Unit;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Opens all 10,000 connections that DSQL allows, from cold, at the speed of its bucket. Ten reservoirs run in two
 * processes, which each have half the rate and half the burst. The emulator answers without a database and checks every
 * token. All three processes have made some hundred connects before the clock starts, because the first handshakes of a
 * cold JVM say nothing about the pool.
 */
final class LoadCase {
    private static final int CLIENTS = 2;
    private static final int POOLS_EACH = 5;
    private static final int SIZE = 1_000;
    private static final int ALL = CLIENTS * POOLS_EACH * SIZE;
    private static final Ration RATION = new Ration(100, 1_000, ALL, Duration.ofMinutes(60));
    private static final double IDEAL_NANOS = (ALL - RATION.burst()) / RATION.ratePerSecond() * 1e9;
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final long LOOK_MILLIS = 100;

    /** Rate and burst before the measurement, so high that no connect waits or is refused. */
    static final double WARM_RATE = 10_000;

    private LoadCase() {}

    static void run(Results results) throws IOException, InterruptedException {
        try (Emulated database = Emulated.start("stub", "3g", RATION)) {
            List<Jvm> clients = new ArrayList<>();
            try {
                database.rate(WARM_RATE, (int) WARM_RATE);
                for (int i = 0; i < CLIENTS; i++) {
                    clients.add(client(database.access()));
                }
                for (Jvm client : clients) {
                    client.expectLine("a process of pools");
                }
                database.rate(RATION.ratePerSecond(), RATION.burst());
                Counted before = database.counted();
                long began = System.nanoTime();
                for (Jvm client : clients) {
                    client.goOn();
                }
                double nanos = untilFull(database, before.accepted() + ALL, began);
                Counted counted = database.counted();
                results.sheet("dsql load", "10 pools of 1,000 in 2 processes, 100/s burst 1,000", PoolKind.RESERVOIR)
                        .lower("time to full", Unit.NANOS, nanos)
                        .lower("time to full by ideal", Unit.FACTOR, nanos / IDEAL_NANOS)
                        .lower("refused", Unit.COUNT, counted.refused() - before.refused())
                        .higher("open", Unit.COUNT, counted.open());
            } finally {
                for (Jvm client : clients) {
                    client.kill();
                }
            }
        }
    }

    private static Jvm client(Access access) throws IOException {
        List<String> words = new ArrayList<>(access.words());
        words.add(Integer.toString(POOLS_EACH));
        words.add(Integer.toString(SIZE));
        words.add(Double.toString(RATION.ratePerSecond() / CLIENTS));
        words.add(Integer.toString(RATION.burst() / CLIENTS));
        return Jvm.start(PoolsProcess.class, List.of("-Xmx3g"), words);
    }

    /** The time from the start until the last connection is open; infinite if the limit passes first. */
    private static double untilFull(Emulated database, long accepted, long began)
            throws IOException, InterruptedException {
        Counted now = database.counted();
        long saidAt = began;
        while (now.accepted() < accepted || now.open() < ALL) {
            long nanos = System.nanoTime();
            if (nanos - began > LIMIT.toNanos()) {
                return Double.POSITIVE_INFINITY;
            }
            if (nanos - saidAt > TimeUnit.SECONDS.toNanos(15)) {
                saidAt = nanos;
                System.out.printf(
                        "after %d s: %d open, %d refused%n",
                        TimeUnit.NANOSECONDS.toSeconds(nanos - began), now.open(), now.refused());
            }
            Thread.sleep(LOOK_MILLIS);
            now = database.counted();
        }
        return System.nanoTime() - began;
    }
}
