package dev.reservoir.bench.flight;

import dev.reservoir.bench.Daemons;
import dev.reservoir.bench.pools.PoolKind;
import dev.reservoir.bench.report.LatencyHistogram;
import dev.reservoir.bench.report.Results;
import dev.reservoir.bench.report.Unit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/** Sixteen threads send queries over 1, 2, 4 and 8 connections. A session runs one query at a time. */
final class FlightThroughput {
    private static final int THREADS = 16;
    private static final int QUERY_MILLIS = 5;

    /** Bounds the wait for the last queries of a measurement. */
    private static final long PATIENCE_SECONDS = 60;

    private FlightThroughput() {}

    static void run(String endpoint, int seconds, Results results) throws Exception {
        for (int connections : List.of(1, 2, 4, 8)) {
            String setting = connections + (connections == 1 ? " connection, " : " connections, ") + QUERY_MILLIS
                    + " ms queries, " + THREADS + " threads";
            List<FlightContender> contenders = FlightContender.all(endpoint, connections);
            // The first queries open connections and compile the code that the contenders share.
            for (FlightContender contender : contenders) {
                measure(contender, seconds);
            }
            Map<String, Double> rates = new HashMap<>();
            for (FlightContender contender : contenders) {
                rates.put(contender.title(), measure(contender, seconds, setting, results));
            }
            for (FlightContender contender : contenders) {
                contender.close();
            }
            double ours = rates.getOrDefault(PoolKind.RESERVOIR.title(), 0.0);
            results.sheet("flight", setting, PoolKind.RESERVOIR)
                    .higher(
                            "throughput by one client's",
                            Unit.FACTOR,
                            ours / rates.getOrDefault(FlightContender.ONE_CLIENT, 0.0));
        }
    }

    /** Writes down what a contender reaches, and returns its queries per second. */
    private static double measure(FlightContender contender, int seconds, String setting, Results results)
            throws Exception {
        LatencyHistogram times = measure(contender, seconds);
        double rate = times.count() / (double) seconds;
        results.sheet("flight", setting, contender.title())
                .higher("throughput", Unit.PER_SECOND, rate)
                .lower("query p50", Unit.NANOS, times.quantileNanos(0.5))
                .lower("query p99", Unit.NANOS, times.quantileNanos(0.99));
        return rate;
    }

    private static LatencyHistogram measure(FlightContender contender, int seconds) throws Exception {
        LatencyHistogram waits = new LatencyHistogram();
        String sql = FlightServerProcess.query(QUERY_MILLIS);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        List<FutureTask<Boolean>> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            threads.add(Daemons.call("query-" + i, () -> {
                for (long began = System.nanoTime(); began < end; began = System.nanoTime()) {
                    contender.query(sql);
                    waits.record(System.nanoTime() - began);
                }
                return true;
            }));
        }
        for (FutureTask<Boolean> thread : threads) {
            thread.get(seconds + PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
        return waits;
    }
}
