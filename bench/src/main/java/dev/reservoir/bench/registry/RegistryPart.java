package dev.reservoir.bench.registry;

import static java.util.Objects.requireNonNull;

import dev.reservoir.bench.Arguments;
import dev.reservoir.bench.pools.PoolKind;
import dev.reservoir.bench.report.Results;
import dev.reservoir.bench.report.Unit;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Acquires and releases through the registry beside the JDBC door, each in a JVM of its own, one after the other. The
 * cost of the registry is its processor time divided by the door's.
 */
public final class RegistryPart {
    private static final String ALLOCATED = "gc.alloc.rate.norm";

    /**
     * Least time of a warm-up. With 32 threads on few processors, the compiler gets little time of its own, and more
     * code takes it longer. After 3 seconds it was not done.
     */
    private static final int WARM_UP_SECONDS = 8;

    /** The methods of the benchmark, and how the table calls them. */
    private static final Map<String, String> WAYS = new LinkedHashMap<>();

    static {
        WAYS.put("door", "JDBC door");
        WAYS.put("registry", PoolKind.RESERVOIR.title());
        WAYS.put("dataSource", "Registry's data source");
    }

    private RegistryPart() {}

    /** Takes {@code --threads}, {@code --rounds} and {@code --seconds}. */
    public static void run(Arguments arguments, Results results) throws IOException, RunnerException {
        int seconds = arguments.number("seconds", 3);
        for (int round = 0; round < arguments.number("rounds", 1); round++) {
            for (int threads : arguments.numbers("threads", "1,8,32")) {
                measure(threads, seconds, results);
            }
        }
    }

    private static void measure(int threads, int seconds, Results results) throws IOException, RunnerException {
        String setting = "pool " + RegistryBenchmark.SIZE + ", threads " + threads;
        double ofDoor = 0;
        for (Map.Entry<String, String> way : WAYS.entrySet()) {
            Results.Sheet sheet = results.sheet("registry", setting, way.getValue());
            RunResult result = run(way.getKey(), threads, seconds);
            double cpuNanos = score(result, CpuProfiler.TIME);
            sheet.higher(
                    "throughput", Unit.PER_SECOND, result.getPrimaryResult().getScore());
            sheet.lower("allocated", Unit.BYTES, score(result, ALLOCATED));
            sheet.lower("processor time", Unit.NANOS, cpuNanos);
            if (way.getKey().equals("door")) {
                ofDoor = cpuNanos;
            } else {
                sheet.lower("processor time by the JDBC door's", Unit.FACTOR, cpuNanos / ofDoor);
            }
        }
    }

    private static double score(RunResult result, String name) {
        return requireNonNull(result.getSecondaryResults().get(name), name).getScore();
    }

    private static RunResult run(String method, int threads, int seconds) throws RunnerException {
        return new Runner(new OptionsBuilder()
                        .include("^" + RegistryBenchmark.class.getName().replace(".", "\\.") + "\\." + method + "$")
                        .threads(threads)
                        .forks(1)
                        .warmupIterations(Math.max(seconds, WARM_UP_SECONDS))
                        .warmupTime(TimeValue.seconds(1))
                        .measurementIterations(seconds)
                        .measurementTime(TimeValue.seconds(1))
                        .addProfiler(GCProfiler.class)
                        .addProfiler(CpuProfiler.class)
                        .jvmArgs("-Xms512m", "-Xmx512m")
                        .shouldFailOnError(true)
                        .verbosity(VerboseMode.SILENT)
                        .build())
                .runSingle();
    }
}
