package dev.reservoir.bench.registry;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/**
 * Measures the processor time of an operation, with that of the garbage collector and the compiler. Unlike throughput,
 * it hardly depends on what else runs on the machine. JMH creates it.
 */
public final class CpuProfiler implements InternalProfiler {
    /** The name of the result. */
    static final String TIME = "cpu.time.norm";

    private long beganNanos;

    @Override
    public String getDescription() {
        return "processor time of an operation";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        beganNanos = processNanos();
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        double nanos =
                (double) (processNanos() - beganNanos) / result.getMetadata().getAllOps();
        return List.of(new ScalarResult(TIME, nanos, "ns/op", AggregationPolicy.AVG));
    }

    private static long processNanos() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
    }
}
