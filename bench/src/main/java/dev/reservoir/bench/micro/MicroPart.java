package dev.reservoir.bench.micro;

import dev.reservoir.bench.Arguments;
import dev.reservoir.bench.pools.PoolKind;
import dev.reservoir.bench.report.Results;
import dev.reservoir.bench.report.Unit;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Runs the JMH benchmarks, each pool in a JVM of its own. Within each variant the pools run one after the other, and
 * all variants run {@code --rounds} times. So a machine that becomes slower during a run affects all pools alike.
 */
public record MicroPart(List<PoolKind> pools, int seconds, Results results) {

    private static final String ALLOCATED = "gc.alloc.rate.norm";

    private record Variant(String benchmark, Class<?> type, int size, int threads) {

        String setting() {
            return "pool " + size + ", threads " + threads;
        }

        /** Each thread holds a connection, so the pool must be at least as large as the number of threads. */
        boolean possible() {
            return type != StatementBenchmark.class || threads <= size;
        }
    }

    /**
     * Takes {@code --pools}, {@code --benchmarks}, {@code --sizes}, {@code --threads}, {@code --rounds},
     * {@code --seconds}.
     */
    public static void run(Arguments arguments, Results results) throws IOException, RunnerException {
        MicroPart part =
                new MicroPart(PoolKind.parse(arguments.text("pools", "all")), arguments.number("seconds", 3), results);
        int rounds = arguments.number("rounds", 1);
        for (int round = 0; round < rounds; round++) {
            for (String benchmark : arguments.list("benchmarks", "checkout,statement")) {
                for (int size : arguments.numbers("sizes", "32,8")) {
                    for (int threads : arguments.numbers("threads", "1,2,8,32")) {
                        part.runVariant(new Variant(benchmark, typeOf(benchmark), size, threads));
                    }
                }
            }
        }
    }

    private static Class<?> typeOf(String benchmark) {
        return switch (benchmark) {
            case "checkout" -> CheckoutBenchmark.class;
            case "statement" -> StatementBenchmark.class;
            default ->
                throw new IllegalArgumentException("benchmarks = " + benchmark + ", allowed: checkout, statement");
        };
    }

    private void runVariant(Variant variant) throws IOException, RunnerException {
        if (!variant.possible()) {
            return;
        }
        for (PoolKind pool : pools) {
            Collection<RunResult> runs = new Runner(options(variant, pool)).run();
            Results.Sheet sheet = results.sheet(variant.benchmark(), variant.setting(), pool);
            for (RunResult run : runs) {
                sheet.higher(
                        "throughput", Unit.PER_SECOND, run.getPrimaryResult().getScore());
                Result<?> allocated = run.getSecondaryResults().get(ALLOCATED);
                if (allocated != null) {
                    sheet.lower("allocated", Unit.BYTES, allocated.getScore());
                }
            }
        }
    }

    private Options options(Variant variant, PoolKind pool) {
        return new OptionsBuilder()
                .include("^" + variant.type().getName().replace(".", "\\.") + "\\.")
                .param("pool", pool.id())
                .param("size", Integer.toString(variant.size()))
                .threads(variant.threads())
                .forks(1)
                .warmupIterations(seconds)
                .warmupTime(TimeValue.seconds(1))
                .measurementIterations(seconds)
                .measurementTime(TimeValue.seconds(1))
                .addProfiler(GCProfiler.class)
                .jvmArgs("-Xms512m", "-Xmx512m")
                .shouldFailOnError(false)
                .verbosity(VerboseMode.SILENT)
                .build();
    }
}
