package dev.reservoir.bench.flight;

import dev.reservoir.bench.report.LatencyHistogram;
import dev.reservoir.bench.report.Median;
import dev.reservoir.bench.report.Results;
import dev.reservoir.bench.report.Unit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What a pooled call costs beyond the same call of a raw client. One thread sends queries of 1 ms. The two sides take
 * turns, so that a change of the machine's speed meets both.
 */
@SuppressWarnings("try") // Arrow's clients have a close() that may throw anything
final class FlightOverhead {
    private static final int QUERY_MILLIS = 1;
    private static final int CALLS_OF_A_TURN = 100;

    private FlightOverhead() {}

    static void run(String endpoint, int seconds, Results results) throws Exception {
        String sql = FlightServerProcess.query(QUERY_MILLIS);
        try (FlightContender pool = new FlightContender.Pool(endpoint, 1);
                FlightContender raw = new FlightContender.OneClient(endpoint)) {
            long warm = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
            while (System.nanoTime() < warm) {
                turn(pool, sql);
                turn(raw, sql);
            }
            List<Double> ofPool = new ArrayList<>();
            List<Double> ofRaw = new ArrayList<>();
            List<Double> ratios = new ArrayList<>();
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(4L * seconds);
            while (System.nanoTime() < end) {
                boolean poolFirst = ratios.size() % 2 == 0;
                double first = turn(poolFirst ? pool : raw, sql);
                double second = turn(poolFirst ? raw : pool, sql);
                ofPool.add(poolFirst ? first : second);
                ofRaw.add(poolFirst ? second : first);
                ratios.add(poolFirst ? first / second : second / first);
            }
            String setting = QUERY_MILLIS + " ms queries, 1 thread, 1 connection";
            results.sheet("flight call", setting, pool.title())
                    .lower("median call", Unit.NANOS, Median.of(ofPool))
                    .lower("call by a raw client's", Unit.FACTOR, Median.of(ratios));
            results.sheet("flight call", setting, raw.title()).lower("median call", Unit.NANOS, Median.of(ofRaw));
        }
    }

    /** The median time of some calls, in nanoseconds. */
    private static double turn(FlightContender contender, String sql) throws Exception {
        LatencyHistogram times = new LatencyHistogram();
        for (int i = 0; i < CALLS_OF_A_TURN; i++) {
            long began = System.nanoTime();
            contender.query(sql);
            times.record(System.nanoTime() - began);
        }
        return times.quantileNanos(0.5);
    }
}
