package dev.reservoir.bench.dsql;

import dev.reservoir.bench.Jvm;
import dev.reservoir.bench.Polling;
import dev.reservoir.bench.dsql.Emulated.Counted;
import dev.reservoir.bench.pools.PoolKind;
import dev.reservoir.bench.report.Results;
import dev.reservoir.bench.report.Unit;
import dev.reservoir.core.LocalPermits;
import dev.reservoir.core.time.SystemTime;
import dev.reservoir.emulator.Limits;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

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
    private static final Limits LIMITS = Emulated.limits(100, 1_000, ALL, Duration.ofMinutes(60));
    private static final double IDEAL_NANOS = (ALL - LIMITS.burst()) / LIMITS.ratePerSecond() * 1e9;
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final Duration INTERVAL = Duration.ofMillis(100);
    private static final Duration PRINT_INTERVAL = Duration.ofSeconds(15);

    /** Rate and burst before the measurement, so high that no connect waits or is refused. */
    private static final int WARM_UP_RATE = 10_000;

    /** Pools that a process opens and closes before the measurement, so that a handshake is loaded and compiled. */
    private static final int WARM_UP_POOLS = 8;

    private static final int WARM_UP_SIZE = 50;

    private LoadCase() {}

    static void run(Results results) throws IOException, InterruptedException {
        try (Emulated database = Emulated.start("stub", "3g", LIMITS)) {
            List<Jvm> clients = new ArrayList<>();
            try {
                database.rate(WARM_UP_RATE, WARM_UP_RATE);
                for (int i = 0; i < CLIENTS; i++) {
                    clients.add(client(database.access()));
                }
                for (Jvm client : clients) {
                    client.expectLine("a process of pools");
                }
                database.rate(LIMITS.ratePerSecond(), LIMITS.burst());
                Counted before = database.counted();
                long began = System.nanoTime();
                for (Jvm client : clients) {
                    client.resume();
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
        return Jvm.start(LoadCase.class, List.of("-Xmx3g"), access.words());
    }

    /** The time from the start until the last connection is open; infinite if the limit passes first. */
    private static double untilFull(Emulated database, long accepted, long began)
            throws IOException, InterruptedException {
        AtomicLong printed = new AtomicLong(began);
        return Polling.nanosUntil(began, LIMIT, INTERVAL, () -> {
            Counted now = database.counted();
            long nanos = System.nanoTime();
            if (nanos - printed.get() > PRINT_INTERVAL.toNanos()) {
                printed.set(nanos);
                System.out.printf(
                        "after %d s: %d open, %d refused%n",
                        TimeUnit.NANOSECONDS.toSeconds(nanos - began), now.open(), now.refused());
            }
            return now.accepted() >= accepted && now.open() >= ALL;
        });
    }

    /**
     * One of the two processes. Takes the port and the certificate. When it is warm, it prints a line and waits for a
     * line before it starts its pools, which share a rate limit. Runs until standard input ends.
     */
    public static void main(String[] args) throws IOException {
        Jvm.silenceLogs();
        Access access = Access.of(List.of(args));
        LocalPermits permits =
                new LocalPermits(LIMITS.ratePerSecond() / CLIENTS, LIMITS.burst() / CLIENTS, new SystemTime("permits"));
        for (int i = 0; i < WARM_UP_POOLS; i++) {
            access.builder()
                    .name("warm-up")
                    .maxOpen(WARM_UP_SIZE)
                    .connectionRateLimit(WARM_UP_RATE)
                    .connectionBurstLimit(WARM_UP_SIZE)
                    .build()
                    .close();
        }
        System.out.println("warm");
        Jvm.awaitLine();
        for (int i = 0; i < POOLS_EACH; i++) {
            access.builder()
                    .name("load-" + i)
                    .maxOpen(SIZE)
                    .permits(permits)
                    // A connection that expires during the fill would be opened twice.
                    .reservoir(reservoir -> reservoir
                            .initialFillTimeout(Duration.ZERO)
                            .baseLifetime(Duration.ofMinutes(50))
                            .opensInFlightMax(SIZE))
                    .build();
        }
        Jvm.awaitEndOfInput();
        System.exit(0);
    }
}
