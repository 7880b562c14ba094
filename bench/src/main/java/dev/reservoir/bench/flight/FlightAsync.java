package dev.reservoir.bench.flight;

import dev.reservoir.bench.pools.PoolKind;
import dev.reservoir.bench.report.Results;
import dev.reservoir.bench.report.Unit;
import dev.reservoir.flightsql.AsyncFlightSqlPool;
import dev.reservoir.flightsql.FlightSqlPool;
import dev.reservoir.flightsql.PoolConfig;
import dev.reservoir.flightsql.QueryOptions;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Ten thousand asynchronous calls in flight on eight connections. Counts the threads of the process meanwhile. */
final class FlightAsync {
    private static final int CALLS = 10_000;
    private static final int CONNECTIONS = 8;
    private static final int QUERY_MILLIS = 1;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private FlightAsync() {}

    static void run(String endpoint, int seconds, Results results) throws Exception {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        int before = threads.getThreadCount();
        threads.resetPeakThreadCount();
        PoolConfig config = PoolConfig.builder()
                .minIdle(CONNECTIONS)
                .maxSize(CONNECTIONS)
                .acquireTimeout(PATIENCE)
                .build();
        try (FlightSqlPool pool = new FlightSqlPool(endpoint, config)) {
            AsyncFlightSqlPool async = pool.async();
            String sql = FlightServerProcess.query(QUERY_MILLIS);
            List<CompletableFuture<List<Object>>> calls = new ArrayList<>();
            long began = System.nanoTime();
            for (int i = 0; i < CALLS; i++) {
                calls.add(async.queryList(sql, List.of(), QueryOptions.defaults(), row -> String.valueOf(row.get(0))));
            }
            long sent = System.nanoTime() - began;
            double inFlight = calls.stream().filter(call -> !call.isDone()).count();
            int failed = await(calls, began);
            long nanos = System.nanoTime() - began;
            String setting = String.format("%,d calls of %d ms, %d connections", CALLS, QUERY_MILLIS, CONNECTIONS);
            results.sheet("flight async", setting, PoolKind.RESERVOIR)
                    .neutral("in flight when all were sent", Unit.COUNT, inFlight)
                    .lower("threads beyond those before", Unit.COUNT, threads.getPeakThreadCount() - before)
                    .lower("failed", Unit.COUNT, failed)
                    .lower("time to send", Unit.NANOS, sent)
                    .lower("time to the last answer", Unit.NANOS, nanos);
        }
    }

    private static int await(List<CompletableFuture<List<Object>>> calls, long beganNanos)
            throws InterruptedException, TimeoutException {
        int failed = 0;
        for (CompletableFuture<List<Object>> call : calls) {
            long left = PATIENCE.toNanos() - (System.nanoTime() - beganNanos);
            try {
                call.get(Math.max(0, left), TimeUnit.NANOSECONDS);
            } catch (ExecutionException e) {
                failed++;
            }
        }
        return failed;
    }
}
