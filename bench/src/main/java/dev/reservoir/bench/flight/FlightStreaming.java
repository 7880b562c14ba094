package dev.reservoir.bench.flight;

import dev.reservoir.bench.pools.PoolKind;
import dev.reservoir.bench.report.Results;
import dev.reservoir.bench.report.Unit;
import dev.reservoir.flightsql.FlightSqlPool;
import dev.reservoir.flightsql.PoolConfig;
import dev.reservoir.flightsql.QueryResult;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.List;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;

/** Reads a result of 1 GiB batch by batch, and measures how much memory that takes. */
final class FlightStreaming {
    private static final int COLUMNS = 8;
    private static final long RESULT_BYTES = 1L << 30;
    private static final long ROWS = RESULT_BYTES / (COLUMNS * Long.BYTES);

    private FlightStreaming() {}

    /** The part's process should have a heap that is much smaller than the result. */
    static void run(String endpoint, int seconds, Results results) throws Exception {
        try (RootAllocator allocator = new RootAllocator();
                FlightSqlPool pool = new FlightSqlPool(
                        endpoint,
                        PoolConfig.builder().maxSize(1).allocator(allocator).build())) {
            List<MemoryPoolMXBean> heap = ManagementFactory.getMemoryPoolMXBeans().stream()
                    .filter(one -> one.getType() == MemoryType.HEAP)
                    .toList();
            heap.forEach(MemoryPoolMXBean::resetPeakUsage);
            long began = System.nanoTime();
            long rows = read(pool);
            long nanos = System.nanoTime() - began;
            if (rows != ROWS) {
                throw new IllegalStateException(rows + " rows instead of " + ROWS);
            }
            long peakHeap =
                    heap.stream().mapToLong(one -> one.getPeakUsage().getUsed()).sum();
            String setting = "1 GiB in " + COLUMNS + " columns, heap of "
                    + (Runtime.getRuntime().maxMemory() >> 20) + " MiB";
            results.sheet("flight stream", setting, PoolKind.RESERVOIR)
                    .lower("Arrow memory, peak", Unit.BYTES, allocator.getPeakMemoryAllocation())
                    .lower("heap, peak with garbage", Unit.BYTES, peakHeap)
                    .lower("time", Unit.NANOS, nanos);
        }
    }

    private static long read(FlightSqlPool pool) {
        StringBuilder sql = new StringBuilder("SELECT i");
        for (int column = 1; column < COLUMNS; column++) {
            sql.append(", i + ").append(column).append(" AS c").append(column);
        }
        long rows = 0;
        long expected = 0;
        try (QueryResult result = pool.query(
                sql.append(" FROM range(").append(ROWS).append(") t(i)").toString())) {
            while (result.nextBatch()) {
                int count = result.batch().getRowCount();
                BigIntVector last = (BigIntVector) result.batch().getVector(COLUMNS - 1);
                expected += count;
                if (count > 0 && last.get(count - 1) != expected - 1 + COLUMNS - 1) {
                    throw new IllegalStateException("wrong value after " + expected + " rows");
                }
                rows += count;
            }
        }
        return rows;
    }
}
